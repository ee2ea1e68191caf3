// A signed-in page over a mock server of its own, so that what one scenario changes no other finds.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { start } from '../mock/server.mjs'
import { composer, launch, open, signedOut, signIn } from './browser.mjs'

let browser

before(async () => {
  browser = await launch()
})
after(() => browser?.close())

/** Nothing may have gone wrong beside what a scenario looks at. `server`: what the mock is started with. */
export function scenario(name, act, { server = {}, ...options } = {}) {
  test(name, { timeout: 90_000 }, async () => {
    const mock = await start({ pace: 60, ...server })
    const { page, context, faults } = await open(browser, mock.url, { ...options, allowed: [signedOut, ...(options.allowed ?? [])] })
    try {
      await signIn(page, mock)
      await act(page, mock)
      assert.deepEqual(faults, [])
    } finally {
      await context.close()
      await mock.close()
    }
  })
}

/** Goes to a view that is no chat; the keys that follow are for it. */
export async function visit(page, mock, address) {
  await page.goto(`${mock.url}/${address}`)
  await composer(page).waitFor({ state: 'detached' })
}
export const press = async (page, ...keys) => {
  for (const key of keys) await page.keyboard.press(key)
}
export const heading = (page, name) => page.getByRole('heading', { name, level: 2 })
export const focused = (page, selector) => page.waitForFunction((wanted) => document.activeElement?.matches(wanted), selector)
export const focusedText = (page, text) => page.waitForFunction((wanted) => document.activeElement?.textContent?.includes(wanted), text)
export const leaveComposer = (page) => page.locator('main').focus()
