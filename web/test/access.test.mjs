// Every view, light and dark, wide and narrow, against the rules of WCAG 2.2 AA that a machine can check.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { start } from '../mock/server.mjs'
import { answered, ask, launch, open, signIn } from './browser.mjs'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
let browser
let mock

before(async () => {
  mock = await start({ model: 'builtin' })
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await mock?.close()
})

async function check(page, where) {
  await page.waitForTimeout(250)
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }))
  assert.deepEqual(violations.map(({ id, nodes }) => `${where}: ${id} ${nodes.map((node) => `${node.html} ${node.any[0]?.message ?? ''}`).join(' | ')}`), [])
}

const views = {
  async signIn(page) {
    await page.goto(mock.url)
    await page.getByLabel('Access token').fill('x')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
  },
  async welcome(page) {
    await signIn(page, mock)
    await page.locator('summary').click()
  },
  async answerWithSource(page) {
    await signIn(page, mock)
    await ask(page, 'What did the surveyor say about the hull and the keel bolts?')
    const answer = await answered(page)
    await answer.locator('[data-tool] button').click()
    await answer.getByRole('button', { name: 'How this was answered' }).click()
    await answer.getByRole('button', { name: /^Source 1/ }).click()
    await page.getByRole('complementary', { name: 'Source', exact: true }).locator('[aria-current]').waitFor()
  },
  async failure(page) {
    await signIn(page, mock)
    await ask(page, 'please fail')
    await answered(page)
  },
  async approval(page) {
    await signIn(page, mock)
    await ask(page, 'send a mail to the yard')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
  },
  async markdown(page) {
    await signIn(page, mock)
    await ask(page, 'markdown please')
    await answered(page)
  },
  async recordings(page) {
    await signIn(page, mock)
    await page.goto(`${mock.url}/#/recordings`)
    await page.locator('input[type=file]').setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from([0]) })
    await page.getByRole('region', { name: 'Imports' }).getByText('is a binary file').waitFor()
    await page.getByRole('searchbox', { name: /everything/ }).fill('bolts')
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor()
  },
  async transcript(page) {
    await signIn(page, mock)
    await page.goto(`${mock.url}/#/recordings`)
    await page.getByRole('list', { name: 'Recordings' }).getByRole('link').filter({ hasText: 'Launch' }).click()
    await page.getByText('Let us begin').waitFor()
  },
  async help(page) {
    await signIn(page, mock)
    await page.locator('main').focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
  },
}

const wide = { viewport: { width: 1280, height: 860 } }
const narrow = { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }
for (const [name, act] of Object.entries(views)) {
  for (const [where, options] of [['light', wide], ['dark', { ...wide, colorScheme: 'dark' }], ['phone', narrow]]) {
    test(`${name}, ${where}`, { timeout: 40_000 }, async () => {
      const { page, context } = await open(browser, mock.url, { ...options, reducedMotion: 'reduce' })
      try {
        await act(page)
        await check(page, name)
      } finally {
        await context.close()
      }
    })
  }
}
