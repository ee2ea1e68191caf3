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
/** The cookie of one sign-in, for the views that are not about signing in. */
let storageState

before(async () => {
  mock = await start({ model: 'builtin' })
  browser = await launch()
  const { page, context } = await open(browser, mock.url)
  await signIn(page, mock)
  storageState = await context.storageState()
  await context.close()
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

async function visit(page, address) {
  await page.context().addCookies(storageState.cookies)
  await page.goto(`${mock.url}/${address}`)
  await page.locator('main').waitFor()
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
    await visit(page, '#/')
    await ask(page, 'What did the surveyor say about the hull and the keel bolts?')
    const answer = await answered(page)
    await answer.locator('[data-tool] button').click()
    await answer.getByRole('button', { name: 'How this was answered' }).click()
    await answer.getByRole('button', { name: /^Source 1/ }).click()
    await page.getByRole('complementary', { name: 'Source', exact: true }).locator('[aria-current]').waitFor()
  },
  async failure(page) {
    await visit(page, '#/')
    await ask(page, 'please fail')
    await answered(page)
  },
  async approval(page) {
    await visit(page, '#/')
    await ask(page, 'send a mail to the yard')
    await page.getByRole('button', { name: 'Approve' }).waitFor()
  },
  async markdown(page) {
    await visit(page, '#/')
    await ask(page, 'markdown please')
    await answered(page)
  },
  async conversations(page) {
    await visit(page, '#/conversations')
    await page.locator('#import-files').setInputFiles([{ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from([0]) }, { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('Ann: Hello') }])
    await page.getByRole('region', { name: 'Imports' }).getByText('is a binary file').waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('toolbar').waitFor()
  },
  async newNote(page) {
    await visit(page, '#/conversations')
    await page.getByRole('button', { name: 'New note' }).click()
    await page.getByRole('dialog').waitFor()
  },
  async folders(page) {
    await visit(page, '#/conversations')
    await page.getByRole('button', { name: 'Edit folders' }).click()
    await page.getByRole('dialog').waitFor()
  },
  async conversation(page) {
    await visit(page, '#/conversations/conv-1?at=conv-1.4')
    await page.locator('[aria-current="true"]').waitFor()
    await page.locator('summary').click()
  },
  async longConversation(page) {
    await visit(page, '#/conversations/conv-3?at=conv-3.300')
    await page.locator('[aria-current="true"]').waitFor()
  },
  async speaker(page) {
    await visit(page, '#/conversations/conv-3')
    await page.getByText('Let us look at').first().waitFor()
    await page.keyboard.press('r')
    await page.getByRole('dialog').waitFor()
  },
  async library(page) {
    await visit(page, '#/library')
    await page.locator('#library-files').setInputFiles([{ name: 'setup.exe', mimeType: 'application/x-msdownload', buffer: Buffer.from('MZ') }, { name: `broken ${Math.random()}.txt`, mimeType: 'text/plain', buffer: Buffer.from(`x${Math.random()}`) }])
    await page.getByRole('region', { name: 'Uploads' }).getByText('Programs are not read').waitFor()
    await page.locator('[data-state="failed"]').first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.getByRole('toolbar').waitFor()
    await page.getByRole('button', { name: /^More for “Tides/ }).click()
    await page.getByRole('menu').waitFor()
  },
  async emptyLibrary(page) {
    await visit(page, '#/library?q=nothing-of-the-kind')
    await page.getByText('Nothing matches').waitFor()
  },
  async reader(page) {
    await visit(page, '#/library/file-9?page=4&chunk=file-9-4-1&find=gauge')
    await page.locator('mark').first().waitFor()
    await page.getByRole('list', { name: 'Passages' }).waitFor()
  },
  async unreadable(page) {
    await visit(page, '#/library/file-7')
    await page.getByRole('alert').waitFor()
  },
  async answerWithPages(page) {
    await visit(page, '#/')
    await page.locator('#attach-files').setInputFiles({ name: 'broken.txt', mimeType: 'text/plain', buffer: Buffer.from(`y${Math.random()}`) })
    await ask(page, 'What does the handbook say about the gauge at Vinga?')
    await page.getByText('could not be taken').waitFor()
    await page.getByRole('button', { name: 'Ask without “broken.txt”' }).click()
    await answered(page)
    await page.getByRole('button', { name: /^Tides of the Kattegat.pdf page/ }).first().click()
    await page.getByRole('complementary', { name: 'Source', exact: true }).locator('mark').first().waitFor()
  },
  async memory(page) {
    await visit(page, '#/memory/fact-5')
    await page.getByRole('list', { name: 'History' }).waitFor()
    await page.getByLabel('Something to remember').fill('one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen')
    await page.getByText('too long').waitFor()
  },
  async tasks(page) {
    await visit(page, '#/tasks')
    await page.getByRole('button', { name: 'Show what is done' }).click()
    await page.getByRole('button', { name: 'Pay the deposit for the keel bolts', exact: true }).click()
    await page.getByRole('textbox', { name: 'What is to be done' }).waitFor()
  },
  async month(page) {
    await visit(page, '#/calendar/month')
    await page.locator('[data-event]').first().waitFor({ state: 'attached' })
  },
  async week(page) {
    await visit(page, '#/calendar/week')
    await page.locator('[data-event]').first().waitFor()
  },
  async event(page) {
    await visit(page, '#/calendar/day')
    await page.keyboard.press('n')
    await page.getByRole('dialog').waitFor()
  },
  async people(page) {
    await visit(page, '#/people')
    await page.getByText('Maya').first().waitFor()
  },
  async person(page) {
    await visit(page, '#/people')
    await page.getByRole('button', { name: 'Edit Maya' }).click()
    await page.getByRole('dialog').waitFor()
  },
  async timeline(page) {
    await visit(page, '#/timeline/year')
    await page.getByText('recorded in').waitFor()
  },
  async search(page) {
    await visit(page, '#/search?q=keel%20bolts&people=Henrik')
    await page.getByText('without that filter').waitFor()
    await page.getByRole('button', { name: 'Why these?' }).click()
    await page.getByRole('list', { name: 'Candidates' }).waitFor()
  },
  async yourData(page) {
    await visit(page, '#/tasks')
    const menu = page.getByRole('button', { name: 'Open the side list' })
    if (await menu.isVisible()) await menu.click()
    await page.getByRole('button', { name: 'Your data' }).click()
    await page.getByRole('dialog').waitFor()
  },
  async help(page) {
    await visit(page, '#/')
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
