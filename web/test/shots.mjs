// Pictures of the page, to look at: npm run build && npm run shots. They land in web/shots, which git ignores.
import { mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { start } from '../mock/server.mjs'
import { answered, ask, launch, open, signIn } from './browser.mjs'

const folder = fileURLToPath(new URL('../shots/', import.meta.url))
await mkdir(folder, { recursive: true })
const browser = await launch()
const mock = await start()
const bare = await start({ empty: true, model: 'builtin' })
const shot = async (page, name) => {
  await page.waitForTimeout(250)
  await page.screenshot({ path: `${folder}${name}.png` })
}
const only = process.argv[2]
const phone = { viewport: { width: 390, height: 780 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }

async function scene(name, options, server, act) {
  if (only && !name.startsWith(only)) return
  const { page, context, faults } = await open(browser, server.url, { allowed: [/401/], ...options })
  try {
    await act(page, name)
  } catch (error) {
    console.error(name, error)
    await shot(page, `${name}-failed`)
  }
  if (faults.length > 0) console.log(name, faults)
  await context.close()
}

const kestrel = 'What did the surveyor say about the hull and the keel bolts?'
async function cited(page, name) {
  await signIn(page, mock)
  await ask(page, kestrel)
  await answered(page)
  await page.waitForTimeout(400)
  await shot(page, `${name}-answer`)
  await page.getByRole('button', { name: /^Source 1/ }).first().click()
  await page.getByRole('complementary', { name: 'Source' }).locator('[aria-current]').waitFor()
  await shot(page, name)
}

for (const colorScheme of ['light', 'dark']) {
  await scene(`chat-${colorScheme}`, { colorScheme }, mock, cited)
  await scene(`markdown-${colorScheme}`, { colorScheme }, mock, async (page, name) => {
    await signIn(page, mock)
    await ask(page, 'markdown please')
    await answered(page)
    await shot(page, name)
  })
  await scene(`welcome-${colorScheme}`, { colorScheme }, mock, async (page, name) => {
    await signIn(page, mock)
    await shot(page, name)
  })
  await scene(`recordings-${colorScheme}`, { colorScheme }, mock, async (page, name) => {
    await signIn(page, mock)
    await page.getByRole('link', { name: 'Recordings' }).click()
    await shot(page, name)
    await page.getByRole('searchbox', { name: /everything/ }).fill('fourteenth bolts')
    await page.getByRole('list', { name: 'Results' }).locator('li').first().waitFor()
    await shot(page, `${name}-search`)
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().click()
    await page.locator('[aria-current="true"]').waitFor()
    await shot(page, `${name}-transcript`)
  })
  await scene(`empty-${colorScheme}`, { colorScheme }, bare, async (page, name) => {
    await signIn(page, bare)
    await page.getByRole('link', { name: 'Import recordings' }).waitFor()
    await shot(page, name)
    await page.locator('summary').click()
    await shot(page, `${name}-open`)
    await page.getByRole('link', { name: 'Recordings', exact: true }).click()
    await shot(page, `${name}-recordings`)
  })
  await scene(`signin-${colorScheme}`, { colorScheme }, mock, async (page, name) => {
    await page.goto(mock.url)
    await page.getByLabel('Access token').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await shot(page, name)
  })
}
await scene('states', {}, mock, async (page, name) => {
  await signIn(page, mock)
  await ask(page, 'please fail')
  await answered(page)
  await shot(page, `${name}-failed`)
  await ask(page, 'send a mail to Lindqvist')
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await shot(page, `${name}-approval`)
  await page.getByRole('button', { name: 'Approve' }).click()
  await answered(page)
  await page.getByRole('button', { name: 'How this was answered' }).last().click()
  await page.locator('[data-tool] button').last().click()
  await shot(page, `${name}-trace`)
  await ask(page, 'slow please')
  await page.waitForTimeout(900)
  await shot(page, `${name}-thinking`)
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await answered(page)
  await page.getByRole('button', { name: 'Edit message' }).last().click()
  await shot(page, `${name}-edit`)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keyboard help' }).click()
  await shot(page, `${name}-help`)
})
await scene('phone', phone, mock, async (page, name) => {
  await signIn(page, mock)
  await shot(page, `${name}-welcome`)
  await ask(page, kestrel)
  await answered(page)
  await shot(page, `${name}-answer`)
  await page.getByRole('button', { name: /^Source 1/ }).first().click()
  await page.getByRole('complementary', { name: 'Source' }).locator('[aria-current]').waitFor()
  await shot(page, `${name}-source`)
  await page.getByRole('button', { name: 'Close the source' }).click()
  await page.getByRole('button', { name: 'Open the side list' }).click()
  await page.waitForTimeout(300)
  await shot(page, `${name}-drawer`)
  await page.getByRole('link', { name: 'Recordings', exact: true }).click()
  await page.waitForTimeout(300)
  await shot(page, `${name}-recordings`)
})

await browser.close()
await mock.close()
await bare.close()
