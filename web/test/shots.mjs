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

const visit = async (page, address) => {
  await page.goto(`${mock.url}/${address}`)
  await page.waitForTimeout(350)
}
const views = {
  async conversations(page, name) {
    await visit(page, '#/conversations')
    await shot(page, name)
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await shot(page, `${name}-selected`)
    await page.keyboard.press('n')
    await shot(page, `${name}-note`)
  },
  async conversation(page, name) {
    await visit(page, '#/conversations/conv-1')
    await shot(page, name)
    await visit(page, '#/conversations/conv-3?at=conv-3.310')
    await shot(page, `${name}-cited`)
    await page.keyboard.press('r')
    await shot(page, `${name}-speaker`)
  },
  async library(page, name) {
    await visit(page, '#/library')
    await shot(page, name)
    await page.getByRole('button', { name: 'More for “Mooring contract.docx”' }).click()
    await shot(page, `${name}-menu`)
    await page.keyboard.press('Escape')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('x')
    await shot(page, `${name}-selected`)
    await page.keyboard.press('#')
    await shot(page, `${name}-delete`)
    await page.keyboard.press('Escape')
    await page.keyboard.press('a')
    await page.getByRole('list', { name: 'Files that the question is about' }).waitFor()
    await shot(page, `${name}-ask`)
  },
  async uploading(page, name) {
    mock.files.uploads.slow = 1500
    await visit(page, '#/library')
    const file = (name, text) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
    await page.locator('#library-files').setInputFiles([file('setup.exe', name), ...Array.from({ length: 12 }, (_, i) => file(`Log of ${2001 + i}.txt`, `${name} ${i}\fPage two\fPage three`))])
    await page.waitForTimeout(2200)
    await shot(page, name)
    mock.files.uploads.slow = 0
    mock.files.all.splice(0, mock.files.all.length, ...mock.files.all.filter((known) => !known.file_id.startsWith('file-new')))
  },
  async reader(page, name) {
    await visit(page, '#/library/file-9?page=4&chunk=file-9-4-1')
    await page.locator('mark').first().waitFor({ state: 'attached' })
    await shot(page, name)
    await page.getByRole('button', { name: 'Picture' }).click()
    await page.waitForTimeout(300)
    await shot(page, `${name}-picture`)
    await page.getByRole('button', { name: 'Text', exact: true }).click()
    await page.getByRole('button', { name: 'Find in this file' }).click()
    await page.getByRole('searchbox', { name: 'Find in this file' }).fill('gauge water')
    await page.getByRole('list', { name: 'Passages' }).waitFor()
    await shot(page, `${name}-find`)
    await visit(page, '#/library/file-7')
    await shot(page, `${name}-failed`)
  },
  async reference(page, name) {
    await visit(page, '#/')
    await ask(page, 'What does the handbook say about the gauge at Vinga?')
    await answered(page)
    await shot(page, name)
    await page.getByRole('button', { name: /^Tides of the Kattegat.pdf page/ }).first().click()
    await page.getByRole('complementary', { name: 'Source' }).getByRole('group', { name: /^(Text|Picture)/ }).first().waitFor()
    await page.waitForTimeout(300)
    await shot(page, `${name}-open`)
  },
  async memory(page, name) {
    await visit(page, '#/memory')
    await shot(page, name)
    await visit(page, '#/memory/fact-5')
    await shot(page, `${name}-story`)
  },
  async tasks(page, name) {
    await visit(page, '#/tasks')
    await shot(page, name)
  },
  async calendar(page, name) {
    for (const span of ['month', 'week', 'day']) {
      await visit(page, `#/calendar/${span}`)
      await shot(page, `${name}-${span}`)
    }
    await page.keyboard.press('n')
    await shot(page, `${name}-new`)
  },
  async people(page, name) {
    await visit(page, '#/people')
    await shot(page, name)
  },
  async timeline(page, name) {
    for (const span of ['month', 'quarter', 'year']) {
      await visit(page, `#/timeline/${span}`)
      await shot(page, `${name}-${span}`)
    }
  },
  async search(page, name) {
    await visit(page, '#/search?q=keel%20bolts%20life%20jackets')
    await shot(page, name)
    await page.getByRole('button', { name: 'Why these?' }).click()
    await shot(page, `${name}-receipt`)
  },
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
  for (const [view, act] of Object.entries(views)) {
    await scene(`${view}-${colorScheme}`, { colorScheme }, mock, async (page, name) => {
      await signIn(page, mock)
      await act(page, name)
    })
  }
  await scene(`empty-${colorScheme}`, { colorScheme }, bare, async (page, name) => {
    await signIn(page, bare)
    await page.getByRole('link', { name: 'Import conversations' }).waitFor()
    await shot(page, name)
    await page.locator('summary').click()
    await shot(page, `${name}-open`)
    await page.getByRole('link', { name: 'Conversations', exact: true }).click()
    await shot(page, `${name}-conversations`)
    await page.getByRole('link', { name: 'Library', exact: true }).click()
    await shot(page, `${name}-library`)
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
})
for (const view of ['library', 'uploading', 'reader', 'reference']) {
  for (const colorScheme of ['light', 'dark']) {
    await scene(`wide-${view}-${colorScheme}`, { viewport: { width: 1440, height: 900 }, colorScheme }, mock, async (page, name) => {
      await signIn(page, mock)
      await views[view](page, name)
    })
  }
  await scene(`phone-dark-${view}`, { ...phone, colorScheme: 'dark' }, mock, async (page, name) => {
    await signIn(page, mock)
    await views[view](page, name)
  })
}
for (const [view, act] of Object.entries(views)) {
  await scene(`phone-${view}`, phone, mock, async (page, name) => {
    await signIn(page, mock)
    await act(page, name)
  })
}

await browser.close()
await mock.close()
await bare.close()
