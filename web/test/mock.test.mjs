// What only a server that misbehaves on demand can show.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { start } from '../mock/server.mjs'
import { answered, answers, ask, composer, launch, open, questions, signedOut, signIn } from './browser.mjs'

const long = Array.from({ length: 60 }, (_, i) => `Line ${i + 1} of a long and patient answer.`).join(' ')
let browser
let mock

before(async () => {
  mock = await start()
  browser = await launch()
})
after(async () => {
  await browser?.close()
  await mock?.close()
})

function scenario(name, act, { server, ...options } = {}) {
  test(name, { timeout: 90_000 }, async () => {
    const own = server ? await start(server) : mock
    const { page, context, faults } = await open(browser, own.url, { ...options, allowed: [signedOut, ...(options.allowed ?? [])] })
    try {
      await signIn(page, own)
      await act(page, context, own)
      assert.deepEqual(faults, [])
    } finally {
      await context.close()
      if (server) await own.close()
    }
  })
}

const text = (page) => answers(page).last().locator('.markdown').innerText()
const streaming = (page, word) => answers(page).last().getByText(word).waitFor()

test('the watch over the page notices what must not happen', { timeout: 30_000 }, async () => {
  const { page, context, faults } = await open(browser, mock.url, { allowed: [signedOut] })
  await signIn(page, mock)
  await page.evaluate(async () => {
    document.body.insertAdjacentHTML('beforeend', '<p style="color: red">x</p>')
    await fetch('https://elsewhere.invalid/').catch(() => {})
    setTimeout(() => { throw new Error('thrown') })
  })
  await page.waitForTimeout(200)
  for (const expected of [/policy: style-src/, /policy: connect-src/, /exception: Error: thrown/]) assert.ok(faults.some((fault) => expected.test(fault)), `${expected}: ${faults}`)
  await context.close()
})

scenario('an answer that is reloaded in its middle continues exactly', async (page) => {
  await ask(page, 'slow please')
  await streaming(page, 'Line 3 ')
  await page.reload()
  await streaming(page, 'Line 8 ')
  const half = await text(page)
  assert.ok(half.length < long.length, 'it still streams')
  assert.ok(long.startsWith(half.replace(/\s+/g, ' ').trim()), 'nothing is missing or doubled')
  await page.reload()
  await answered(page)
  assert.equal(await text(page), long)
})

scenario('a cut connection is taken up where it was', async (page) => {
  await ask(page, 'slow please')
  for (const word of ['Line 2 ', 'Line 6 ', 'Line 11 ']) {
    await streaming(page, word)
    mock.cut()
  }
  await answered(page)
  assert.equal(await text(page), long)
}, { allowed: [/ERR_INCOMPLETE|ERR_CONNECTION|ERR_EMPTY|ERR_NETWORK/] })

scenario('a lost connection says so, and goes on when it is back', async (page, context) => {
  await ask(page, 'slow please')
  await streaming(page, 'Line 2 ')
  await context.setOffline(true)
  mock.cut()
  await page.getByText('Connection lost, retrying').waitFor()
  await context.setOffline(false)
  await page.getByText('Connection lost, retrying').waitFor({ state: 'detached' })
  await answered(page)
  assert.equal(await text(page), long)
}, { allowed: [/ERR_/] })

scenario('stop, by button and by key', async (page) => {
  await ask(page, 'slow please')
  await streaming(page, 'Line 2 ')
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await answers(page).last().getByText('Stopped').waitFor()
  const stopped = await text(page)
  assert.ok(long.startsWith(stopped.trim()))
  await ask(page, 'slow again')
  await streaming(page, 'Line 2 ')
  await page.keyboard.press('Escape')
  await answered(page)
  assert.equal(await page.getByText('Stopped').count(), 2)
  await page.reload()
  await answered(page)
  assert.equal(await page.getByText('Stopped').count(), 2)
})

scenario('reasoning is open while it streams and folds when the answer begins', async (page) => {
  await ask(page, 'slow please')
  const region = page.getByRole('group', { name: 'Reasoning' })
  await region.waitFor()
  await streaming(page, 'Line 1 ')
  assert.equal(await region.count(), 0)
  await page.getByRole('button', { name: /^Thought for/ }).click()
  await region.getByText('step by step').waitFor()
  await page.keyboard.press('Escape')
})

scenario('tools are cards with arguments and results; silent ones are in the trace only', async (page) => {
  await ask(page, 'What did the surveyor say about the hull?')
  const answer = await answered(page)
  const card = answer.locator('[data-tool="search_conversations"]')
  assert.equal(await card.getAttribute('data-state'), 'done')
  await card.getByRole('button').click()
  await card.getByText('"query"').waitFor()
  assert.equal(await answer.locator('[data-tool="note_topic"]').count(), 0)
  await answer.getByRole('button', { name: 'How this was answered' }).click()
  await answer.locator('[data-tool="note_topic"]').waitFor()
  await page.getByRole('button', { name: 'Who promised to do what?' }).click()
  await questions(page).nth(1).waitFor()
  await answered(page)
})

scenario('the steps of an old answer are read from its journal', async (page) => {
  await ask(page, 'What did the surveyor say about the hull?')
  await answered(page)
  await page.reload()
  const answer = await answered(page)
  assert.equal(await answer.locator('[data-tool]').count(), 0)
  await answer.getByRole('button', { name: 'How this was answered' }).click()
  await answer.locator('[data-tool="search_conversations"]').waitFor()
})

scenario('a failure is a card with a way to try again', async (page) => {
  await ask(page, 'please fail')
  const answer = await answered(page)
  await answer.getByText('The model cannot be reached at the moment.').waitFor()
  assert.equal(await answer.locator('[data-tool]').getAttribute('data-state'), 'failed')
  await answer.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('article', { name: 'Confidant' }).and(page.locator('[aria-busy="true"]')).waitFor()
  await answered(page)
  assert.equal(await questions(page).count(), 1)
})

scenario('a message that could not be sent is kept and sent again once', async (page, context) => {
  await context.setOffline(true)
  await ask(page, 'Where is the yard?')
  await page.getByText('Not sent').waitFor()
  await context.setOffline(false)
  await page.getByRole('button', { name: 'Try again' }).click()
  await answered(page)
  assert.equal(await questions(page).count(), 1)
}, { allowed: [/ERR_/] })

scenario('what a retracted step said is gone', async (page) => {
  await ask(page, 'retract it')
  await answered(page)
  assert.equal(await text(page), 'This is the answer that counts.')
})

scenario('approval is asked for and given', async (page) => {
  await ask(page, 'send a mail to the yard')
  await page.getByText('in your name').waitFor()
  await page.getByRole('button', { name: 'Decline' }).click()
  await answered(page)
  assert.equal(await text(page), 'I have not sent anything.')
  await page.getByText('Declined').waitFor()
})

scenario('markup in an answer stays words', async (page) => {
  await ask(page, 'markdown please')
  const answer = await answered(page)
  await answer.getByText('<script>alert(1)</script>').waitFor()
  assert.equal(await answer.locator('script, [onclick]').count(), 0)
  assert.deepEqual(await answer.locator('a').evaluateAll((links) => links.map((link) => link.href)), ['https://example.org/'])
  assert.equal(await answer.locator('table td').count(), 6)
})

scenario('the answer is read out in sentences, each once', async (page) => {
  await page.evaluate(() => {
    globalThis.heard = []
    const region = document.querySelector('[data-testid=announcer]')
    new MutationObserver(() => globalThis.heard.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true })
  })
  await ask(page, 'slow please')
  await answered(page)
  const heard = await page.evaluate(() => globalThis.heard)
  assert.equal(heard.join(' ').replace(/\s+/g, ' ').trim(), long)
  assert.ok(heard.length < 12, `${heard.length} announcements`)
})

scenario('files are imported one by one, and each refusal is shown at its file', async (page) => {
  await page.getByRole('link', { name: 'Conversations', exact: true }).click()
  await page.locator('#import-files').setInputFiles([
    { name: 'talk.txt', mimeType: 'text/plain', buffer: Buffer.from('Ann: Hello there\nBob: Hello') },
    { name: 'photo.jpg', mimeType: 'image/jpeg', buffer: Buffer.from([255, 216, 0, 1]) },
    { name: 'same.txt', mimeType: 'text/plain', buffer: Buffer.from('Ann: Hello there\nBob: Hello') },
  ])
  const imports = page.getByRole('region', { name: 'Imports' })
  await imports.getByText('is a binary file').waitFor()
  await imports.getByText('1 conversation, 2 lines').waitFor()
  await imports.getByText('Already imported').waitFor()
}, { allowed: [/415/] })

scenario('conversations are dropped anywhere but on a chat and the library', async (page, _, own) => {
  await page.goto(`${own.url}/#/memory`)
  await composer(page).waitFor({ state: 'detached' })
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['Cy: Dropped words'], 'dropped.txt', { type: 'text/plain' }))
    return data
  })
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer })
  await page.getByText('Drop to import').waitFor()
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })
  await page.getByRole('region', { name: 'Imports' }).getByRole('link', { name: 'dropped.txt' }).click()
  await page.getByText('Dropped words').waitFor()
})

scenario('older chats come as one scrolls', async (page) => {
  const list = page.getByRole('navigation', { name: 'Chats' })
  await list.getByRole('link').first().waitFor()
  await list.getByRole('link').last().scrollIntoViewIfNeeded()
  await list.getByRole('link', { name: 'Older chat 40' }).waitFor()
  assert.equal(await list.getByRole('link').count(), new Set(await list.getByRole('link').allInnerTexts()).size)
}, { server: {} })

scenario('an empty start helps, and says that no model is connected', async (page) => {
  await page.getByText('No language model is connected').click()
  await page.getByText('ANTHROPIC_API_KEY').waitFor()
  await page.getByRole('link', { name: 'Import conversations' }).click()
  await page.getByText('Nothing here yet').waitFor()
}, { server: { empty: true, model: 'builtin' } })

scenario('a session that ends leads to the sign-in', async (page, context) => {
  await context.clearCookies()
  await ask(page, 'Anybody there?')
  await page.getByLabel('Access token').waitFor()
  assert.equal(await composer(page).count(), 0)
})
