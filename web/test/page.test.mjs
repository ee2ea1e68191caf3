// What the page must do against any server that speaks the native API. Without CONFIDANT_URL and CONFIDANT_TOKEN
// it runs against the mock server. The account is left with the recording and the chats that are made here.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, answers, ask, composer, launch, open, questions, signedOut, signIn } from './browser.mjs'

const question = 'Which varnish did the carpenter recommend for the walnut table?'
const line = 'For the walnut table I recommend hardwax oil, not varnish, because it can be mended in spots.'
const transcript = (mark) => `Nadia: Thank you for coming, the workshop is cold today. ${mark}
Carpenter: ${line}
Nadia: Good. Then let us do the shelves in the same way.
Carpenter: The shelves are oak, they need two coats.
`

let browser
let server
let mock

before(async () => {
  if (process.env.CONFIDANT_URL) server = { url: process.env.CONFIDANT_URL.replace(/\/$/, ''), token: process.env.CONFIDANT_TOKEN }
  else server = mock = await (await import('../mock/server.mjs')).start()
  await remember()
  browser = await launch()
})

/** Every scenario may count on the recording, whichever of them are run. */
async function remember() {
  const signedIn = await fetch(`${server.url}/api/session`, { method: 'POST', headers: { 'content-type': 'application/json', origin: server.url }, body: JSON.stringify({ token: server.token }) })
  assert.equal(signedIn.status, 204, 'CONFIDANT_TOKEN is taken')
  const cookie = signedIn.headers.getSetCookie().map((line) => line.split(';')[0]).join('; ')
  const imported = await fetch(`${server.url}/api/import?name=workshop.txt`, { method: 'POST', headers: { cookie, origin: server.url }, body: transcript('') })
  assert.ok(imported.ok, await imported.text())
}
after(async () => {
  await browser?.close()
  await mock?.close()
})

async function fresh(options = {}) {
  return open(browser, server.url, { allowed: [signedOut], ...options })
}

/** A scenario in a signed-in page; nothing may have gone wrong beside what it looks at. */
function scenario(name, act, options = {}) {
  test(name, { timeout: 120_000 }, async () => {
    const { page, context, faults } = await fresh(options)
    try {
      await signIn(page, server)
      await act(page, context)
      assert.deepEqual(faults, [])
    } finally {
      await context.close()
    }
  })
}

test('without a session there is a sign-in, which takes a token', async () => {
  const { page, context, faults } = await fresh()
  await page.goto(server.url)
  const field = page.getByLabel('Access token')
  await field.fill('not-a-token')
  await field.press('Enter')
  await page.getByRole('alert').waitFor()
  await field.fill(server.token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await composer(page).waitFor()
  await page.reload()
  await composer(page).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await field.waitFor()
  await page.reload()
  await field.waitFor()
  assert.deepEqual(faults, [])
  await context.close()
})

scenario('a sign-in link signs in and leaves the address', async (page) => {
  assert.ok(!page.url().includes('token'))
  assert.ok(!(await page.evaluate(() => JSON.stringify(Object.entries(localStorage)) + document.cookie)).includes(server.token))
  await page.goBack().catch(() => {})
  assert.ok(!page.url().includes('token'))
})

scenario('import, ask, streamed answer, citation opens the transcript at the line', async (page) => {
  await page.getByRole('link', { name: 'Conversations', exact: true }).click()
  const file = { name: 'carpenter.txt', mimeType: 'text/plain', buffer: Buffer.from(transcript(Date.now())) }
  await page.locator('#import-files').setInputFiles(file)
  await page.getByRole('region', { name: 'Imports' }).getByRole('link', { name: 'carpenter.txt' }).waitFor()
  await page.getByRole('region', { name: 'Conversations' }).getByRole('listitem').first().waitFor()

  await page.getByRole('button', { name: 'New chat' }).first().click()
  await ask(page, question)
  const answer = await answered(page)
  await page.waitForURL(/#\/chats\//)
  const chip = answer.getByRole('button', { name: /^Source \d/ }).first()
  await chip.click()
  const panel = page.getByRole('complementary', { name: 'Source' })
  const cited = panel.locator('[aria-current="true"]')
  await cited.waitFor()
  assert.match(await panel.innerText(), /hardwax oil/)
  assert.ok(await cited.isVisible())
  assert.ok(await cited.evaluate((node) => {
    const box = node.getBoundingClientRect()
    return box.top >= 0 && box.bottom <= innerHeight
  }), 'the cited line is in sight')
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  assert.ok(await chip.evaluate((node) => node === document.activeElement), 'the focus is back on the chip')
})

scenario('search finds the words and opens the recording at them', async (page) => {
  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByRole('searchbox', { name: /everything/ }).fill('hardwax oil walnut')
  await page.getByRole('list', { name: 'Said' }).getByRole('link').filter({ hasText: 'hardwax' }).first().click()
  await page.locator('[aria-current="true"]').filter({ hasText: 'hardwax' }).waitFor()
})

scenario('a reload in the middle of an answer goes on to its end', async (page) => {
  await ask(page, question)
  await page.waitForURL(/#\/chats\//)
  await page.reload()
  const answer = await answered(page)
  assert.match(await answer.innerText(), /hardwax oil/)
  assert.equal(await answers(page).count(), 1)
  assert.equal(await questions(page).count(), 1)
  const text = await answer.locator('.markdown').allInnerTexts()
  await page.reload()
  assert.deepEqual(await (await answered(page)).locator('.markdown').allInnerTexts(), text)
})

scenario('edit and regenerate put a new answer in the place of the old', async (page) => {
  await ask(page, 'Which wood are the shelves made of?')
  await answered(page)
  await page.getByRole('button', { name: 'Answer again' }).click()
  await page.getByRole('article', { name: 'Confidant' }).and(page.locator('[aria-busy="true"]')).waitFor().catch(() => {})
  await answered(page)
  assert.equal(await questions(page).count(), 1)
  assert.equal(await answers(page).count(), 1)

  await composer(page).press('ArrowUp')
  const field = page.getByRole('textbox', { name: 'Edit your message' })
  assert.equal(await field.inputValue(), 'Which wood are the shelves made of?')
  await field.fill(question)
  await field.press('Enter')
  await field.waitFor({ state: 'detached' })
  assert.match(await (await answered(page)).innerText(), /hardwax oil/)
  await page.reload()
  await answered(page)
  assert.deepEqual(await questions(page).locator('.bubble').allInnerTexts(), [question])
})

scenario('chats are renamed, found and deleted; a deletion can be undone', async (page) => {
  const name = `Renamed ${Date.now()}`
  await ask(page, question)
  await answered(page)
  const list = page.getByRole('navigation', { name: 'Chats' })
  const row = list.getByRole('listitem').first()
  await row.hover()
  await row.getByRole('button', { name: /^Rename/ }).click()
  const field = row.getByRole('textbox')
  await field.fill(name)
  await field.press('Enter')
  await list.getByRole('link', { name }).waitFor()
  await page.reload()
  await list.getByRole('link', { name }).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type(name)
  assert.equal(await list.getByRole('link').count(), 1)
  await list.getByRole('listitem').first().hover()
  await list.getByRole('button', { name: /^Delete/ }).click()
  await list.getByRole('link', { name }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await list.getByRole('link', { name }).waitFor()
  await list.getByRole('listitem').first().hover()
  await list.getByRole('button', { name: /^Delete/ }).click()
  await page.waitForTimeout(6_500)
  await page.reload()
  await list.getByRole('link').first().or(list.getByText('Your chats')).first().waitFor()
  assert.equal(await list.getByRole('link', { name }).count(), 0)
})

scenario('dark by the system, light by choice, and the choice stays', async (page) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const dark = await ground()
  const toggle = page.getByRole('button', { name: /^Theme/ })
  await toggle.click()
  const light = await ground()
  assert.notEqual(light, dark)
  await page.reload()
  await composer(page).waitFor()
  assert.equal(await ground(), light)
  await toggle.click()
  assert.equal(await ground(), dark)
}, { colorScheme: 'dark' })

scenario('everything can be done with the keyboard alone', async (page) => {
  await composer(page).waitFor()
  await page.keyboard.press('Control+Shift+O')
  assert.ok(await composer(page).evaluate((node) => node === document.activeElement))
  await page.keyboard.type('Which varnish')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('for the walnut table?')
  assert.match(await composer(page).inputValue(), /\n/)
  await page.keyboard.press('Enter')
  const answer = await answered(page)
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press('Shift+Tab')
    if (await page.evaluate(() => document.activeElement?.matches('.cite'))) break
  }
  await page.keyboard.press('Enter')
  const panel = page.getByRole('complementary', { name: 'Source' })
  await panel.locator('[aria-current="true"]').waitFor()
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  assert.ok(await answer.locator('.cite').evaluateAll((nodes) => nodes.includes(document.activeElement)))
  await page.keyboard.press('?')
  const help = page.getByRole('dialog', { name: 'Keyboard' })
  await help.waitFor()
  await page.keyboard.press('Escape')
  await help.waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.waitForFunction(() => document.activeElement?.matches('input'))
  await page.keyboard.press('ArrowDown')
  await page.waitForFunction(() => document.activeElement?.matches('#chat-list a'))
})

scenario('on a phone the list is a drawer and nothing is cut off', async (page) => {
  await ask(page, question)
  await answered(page)
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 390 && innerWidth === 390))
  await page.getByRole('button', { name: 'Open the side list' }).click()
  await page.getByRole('link', { name: 'Search', exact: true }).click()
  await page.getByRole('searchbox', { name: /everything/ }).waitFor()
  assert.equal(await page.getByRole('complementary', { name: 'Places and chats' }).isVisible(), false)
}, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true })
