// The library in the page: uploads that meet every kind of trouble, how far files are read, filters, what is done to files.
import assert from 'node:assert/strict'
import { answered, ask, questions } from './browser.mjs'
import { focused, press, scenario, visit } from './scenario.mjs'

const text = (name, words = `Words of ${name}`) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) })
const large = (name, megabytes, seed = 7) => ({ name, mimeType: 'application/pdf', buffer: Buffer.alloc(megabytes * 1024 * 1024, seed) })
const rows = (page) => page.getByRole('region', { name: 'Files' }).getByRole('listitem')
const row = (page, name) => rows(page).filter({ hasText: name })
const uploading = (page) => page.getByRole('region', { name: 'Uploads' })
const add = (page, files) => page.locator('#library-files').setInputFiles(files)

/** Files too large for the protocol of the browser's driver are made in the page itself. */
const addLarge = (page, name, megabytes) => page.evaluate(([name, size]) => {
  const data = new DataTransfer()
  data.items.add(new File([new Uint8Array(size).fill(7)], name, { type: 'application/pdf', lastModified: 1_700_000_000_000 }))
  const input = document.querySelector('#library-files')
  input.files = data.files
  input.dispatchEvent(new Event('change', { bubbles: true }))
}, [name, megabytes * 1024 * 1024])

scenario('a file is sent, read page by page, and ready, and one sees each', async (page, mock) => {
  mock.files.uploads.slow = 400
  await visit(page, mock, '#/library')
  await add(page, text('log.txt', 'One\fTwo\fThree\fFour'))
  await uploading(page).getByText('log.txt').waitFor()
  await row(page, 'log.txt').getByText(/^Reading page \d of 4$/).waitFor()
  await row(page, 'log.txt').getByRole('progressbar').waitFor()
  await row(page, 'log.txt').getByText(/^Reading for meaning, \d of 8$/).waitFor()
  await row(page, 'log.txt').and(page.locator('[data-state="success"]')).waitFor()
  await row(page, 'log.txt').getByText('Text · 4 pages · 18 bytes').waitFor()
  assert.equal(await uploading(page).count(), 0, 'what has arrived needs no line of its own')
}, { server: { pace: 250 } })

scenario('what fails says why, and is tried again', async (page, mock) => {
  await visit(page, mock, '#/library')
  await row(page, 'Survey 1998.pdf').getByText('locked with a password').waitFor()
  await add(page, [text('flaky.txt'), text('setup.exe'), { ...text('empty.txt'), buffer: Buffer.alloc(0) }])
  await uploading(page).getByText('Programs are not read').waitFor()
  await uploading(page).getByText('The file is empty').waitFor()
  await uploading(page).getByText('3 files done, 2 failed').waitFor()
  await row(page, 'flaky.txt').getByText('the disk was busy').waitFor()
  await row(page, 'flaky.txt').getByRole('button', { name: 'Retry flaky.txt' }).click()
  await row(page, 'flaky.txt').and(page.locator('[data-state="success"]')).waitFor()
  await uploading(page).getByRole('button', { name: 'Clear this list' }).click()
  await uploading(page).waitFor({ state: 'detached' })
})

scenario('the same content again is told, and leads to the file', async (page, mock) => {
  await visit(page, mock, '#/library')
  await add(page, text('once.txt'))
  await row(page, 'once.txt').and(page.locator('[data-state="success"]')).waitFor()
  await add(page, { ...text('twice.txt'), buffer: text('once.txt').buffer })
  await uploading(page).getByText('In the library already').waitFor()
  await uploading(page).getByRole('link', { name: 'twice.txt' }).click()
  await page.getByRole('heading', { name: 'once.txt' }).waitFor()
})

scenario('a file that comes while the list is still being read is not lost', async (page, mock) => {
  await page.route(/api\/files\?/, async (route) => {
    const response = await route.fetch()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    await route.fulfill({ response })
  }, { times: 1 })
  await visit(page, mock, '#/library')
  await add(page, text('early.txt'))
  await row(page, 'early.txt').waitFor()
})

scenario('a page that is loaded anew shows how far the files are', async (page, mock) => {
  await visit(page, mock, '#/library')
  await add(page, ['a', 'b', 'c', 'd'].map((name) => text(`${name}.txt`, `${name}\f2\f3\f4\f5\f6\f7\f8`)))
  await row(page, 'd.txt').waitFor()
  await page.reload()
  await row(page, 'a.txt').getByText(/^Reading/).waitFor()
  // Four are asked about together.
  for (const name of ['a', 'b', 'c', 'd']) await row(page, `${name}.txt`).and(page.locator('[data-state="success"]')).waitFor({ timeout: 20_000 })
}, { server: { pace: 700 } })

scenario('five hundred files go three at a time, and the page stays quick', async (page, mock) => {
  await visit(page, mock, '#/library')
  mock.files.uploads.slow = 4
  await page.evaluate(() => {
    globalThis.longest = 0
    new PerformanceObserver((list) => list.getEntries().forEach(({ duration }) => (globalThis.longest = Math.max(globalThis.longest, duration)))).observe({ entryTypes: ['longtask'] })
    const data = new DataTransfer()
    for (let i = 0; i < 500; i++) data.items.add(new File([`Page of ${i}`], `letter-${i}.txt`, { type: 'text/plain' }))
    const input = document.querySelector('#library-files')
    // In a task of its own: making the files is not what is measured.
    setTimeout(() => {
      globalThis.longest = 0
      input.files = data.files
      input.dispatchEvent(new Event('change', { bubbles: true }))
    }, 200)
  })
  await uploading(page).getByText(/^\d+ of 500 files$/).waitFor()
  await page.getByText('509 files').waitFor({ timeout: 60_000 })
  await uploading(page).waitFor({ state: 'detached', timeout: 30_000 })
  assert.equal(mock.files.uploads.most, 3)
  assert.equal(mock.files.all.length, 509)
  const [longest, shown] = await page.evaluate(() => [globalThis.longest, document.querySelectorAll('[data-file]').length])
  console.log(`500 files: the longest task took ${Math.round(longest)} ms; ${shown} rows are shown`)
  assert.ok(shown <= 200, `${shown} rows`)
  assert.ok(longest < 800, `a task took ${longest} ms`)
  await page.waitForFunction(() => document.querySelectorAll('[data-state="in_progress"]').length === 0, null, { timeout: 30_000 })
}, { server: { pace: 20 } })

scenario('a large file goes on where the network broke', async (page, mock) => {
  await visit(page, mock, '#/library')
  mock.files.uploads.cutAfter = 10 * 1024 * 1024
  await addLarge(page, 'atlas.pdf', 20)
  await row(page, 'atlas.pdf').and(page.locator('[data-state="success"]')).waitFor({ timeout: 30_000 })
  const { received } = mock.files.uploads
  assert.ok(received >= 20 * 1024 * 1024 && received < 21 * 1024 * 1024, `nothing was sent twice: ${received}`)
  assert.equal(mock.files.find('file-new-1').size, 20 * 1024 * 1024)
  assert.deepEqual(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith('tus'))), [], 'nothing is left behind')
}, { allowed: [/ERR_/, /409/] })

scenario('without a network uploads wait, and end when it is back', async (page, mock) => {
  await visit(page, mock, '#/library')
  await rows(page).first().waitFor()
  mock.files.uploads.away = true
  await addLarge(page, 'atlas.pdf', 9)
  await add(page, text('note.txt'))
  await uploading(page).getByText('waits for the connection').nth(1).waitFor()
  await page.waitForTimeout(1_500)
  assert.equal(await page.locator('[data-transfer="away"], [data-transfer="sending"]').count(), 2, 'a network that is gone is no failure')
  mock.files.uploads.away = false
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await row(page, 'atlas.pdf').waitFor()
  await row(page, 'note.txt').waitFor()
  assert.equal(mock.files.all.filter(({ name }) => name === 'note.txt').length, 1)
}, { allowed: [/ERR_/] })

scenario('an upload that a reload interrupted goes on with the same file', async (page, mock) => {
  await visit(page, mock, '#/library')
  mock.files.uploads.slow = 25
  await addLarge(page, 'atlas.pdf', 30)
  await page.waitForFunction(() => /^([89]|1\d)\.?\d* of 30 MB/.test(document.querySelector('[data-transfer="sending"] .note')?.textContent ?? ''), null, { timeout: 30_000 })
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  const left = page.getByRole('list', { name: 'Interrupted uploads' })
  await left.getByText(/atlas\.pdf was interrupted after .* of 30 MB/).waitFor()
  mock.files.uploads.slow = 0
  await addLarge(page, 'atlas.pdf', 30)
  await row(page, 'atlas.pdf').waitFor({ timeout: 30_000 })
  const { received } = mock.files.uploads
  assert.ok(received < 31 * 1024 * 1024, `only the rest was sent: ${received}`)
  await left.waitFor({ state: 'detached' })
  await page.reload()
  await row(page, 'atlas.pdf').waitFor()
  assert.equal(await left.count(), 0)
}, { allowed: [/ERR_/] })

scenario('uploads are cancelled, and what had arrived is deleted', async (page, mock) => {
  await visit(page, mock, '#/library')
  mock.files.uploads.slow = 60
  await addLarge(page, 'atlas.pdf', 40)
  await page.waitForFunction(() => /of 40 MB/.test(document.querySelector('[data-transfer="sending"] .note')?.textContent ?? ''))
  await uploading(page).getByRole('button', { name: 'Cancel atlas.pdf' }).click()
  await uploading(page).getByText('Stopped').waitFor()
  for (let i = 0; i < 50 && mock.files.uploads.all.size > 0; i++) await page.waitForTimeout(100)
  assert.equal(mock.files.uploads.all.size, 0)
  mock.files.uploads.slow = 0
  await uploading(page).getByRole('button', { name: 'Try again: atlas.pdf' }).click()
  await row(page, 'atlas.pdf').waitFor({ timeout: 20_000 })
})

scenario('a file that is too large is refused with the limit', async (page, mock) => {
  await visit(page, mock, '#/library')
  await addLarge(page, 'film.pdf', 70)
  await uploading(page).getByText('A file may have 64 MB (file_bytes)').waitFor()
}, { allowed: [/413/] })

scenario('folders are dropped whole', async (page, mock) => {
  await visit(page, mock, '#/library')
  await page.evaluate(() => {
    const entry = (name, children) => children
      ? { name, isDirectory: true, isFile: false, createReader: () => { const rest = [children, []]; return { readEntries: (give) => give(rest.shift()) } } }
      : { name, isDirectory: false, isFile: true, file: (give) => give(new File([`Words of ${name}`], name, { type: 'text/plain' })) }
    const tree = entry('papers', [entry('one.txt'), entry('deeper', [entry('two.txt'), entry('.DS_Store')])])
    const transfer = { types: ['Files'], files: [], items: [{ webkitGetAsEntry: () => tree }] }
    for (const type of ['dragenter', 'drop']) {
      const event = new Event(type, { bubbles: true, cancelable: true })
      Object.defineProperty(event, 'dataTransfer', { value: transfer })
      document.body.dispatchEvent(event)
    }
  })
  await row(page, 'one.txt').waitFor()
  await row(page, 'two.txt').waitFor()
  assert.equal(mock.files.all.length, 11)
})

scenario('filters stand in the address', async (page, mock) => {
  await visit(page, mock, '#/library')
  await page.getByText('9 files').waitFor()
  await page.getByRole('combobox', { name: 'Kind' }).selectOption('PDF')
  await page.getByText('2 files').waitFor()
  await page.getByRole('combobox', { name: 'State' }).selectOption('Failed')
  await page.getByText('1 file', { exact: true }).waitFor()
  await page.waitForURL(/kind=pdf&state=failed/)
  await page.reload()
  await row(page, 'Survey 1998.pdf').waitFor()
  assert.equal(await rows(page).count(), 1)
  await visit(page, mock, '#/library')
  await page.getByRole('searchbox', { name: 'Find a file' }).fill('keel bolts')
  await row(page, 'Offer from the yard.eml').waitFor()
  await page.waitForURL(/q=keel%20bolts/)
  await page.getByText('1 file', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Find a file' }).fill('keel bolts zebra')
  await page.getByText('Nothing matches').waitFor()
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.getByText('9 files').waitFor()
  assert.equal(await page.getByRole('searchbox', { name: 'Find a file' }).inputValue(), '')
})

scenario('files are renamed, read again, downloaded and deleted', async (page, mock) => {
  await visit(page, mock, '#/library')
  await row(page, 'Harbour guide.html').waitFor()
  const menu = async (name, item) => {
    await page.getByRole('button', { name: `More for “${name}”` }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  await menu('Harbour guide.html', 'Rename')
  await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('Guide.html')
  await press(page, 'Enter')
  await row(page, 'Guide.html').waitFor()
  await menu('Guide.html', 'Read again')
  await row(page, 'Guide.html').getByText(/^(Waiting to be read|Reading|Indexing)/).waitFor()
  await row(page, 'Guide.html').and(page.locator('[data-state="success"]')).waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), menu('Guide.html', 'Download')])
  assert.equal(download.suggestedFilename(), 'Guide.html')
  await menu('Guide.html', 'Delete')
  const sure = page.getByRole('dialog', { name: 'Delete “Guide.html”?' })
  await sure.getByText('answers lose the statements that rest on it').waitFor()
  await sure.getByRole('button', { name: 'Delete', exact: true }).click()
  await row(page, 'Guide.html').waitFor({ state: 'detached' })
  await page.getByText('8 files').waitFor()
}, { server: { pace: 200 } })

scenario('by keyboard: select, the menu, rename, delete', async (page, mock) => {
  await visit(page, mock, '#/library')
  await rows(page).first().waitFor()
  await press(page, 'j', 'x', 'j', 'j', 'x')
  await page.getByRole('toolbar').getByText('2 selected').waitFor()
  await press(page, '#')
  await page.getByRole('dialog', { name: 'Delete 2 files?' }).waitFor()
  await press(page, 'Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await press(page, 'Escape')
  await page.getByRole('toolbar').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'More for “Mooring contract.docx”' }).focus()
  await press(page, 'ArrowDown')
  await focused(page, '[role="menuitem"]')
  await press(page, 'ArrowDown', 'Enter')
  await page.getByRole('dialog', { name: 'Rename' }).waitFor()
  await press(page, 'Escape')
  await focused(page, '[aria-haspopup="menu"]')
})

scenario('a question about a selection carries its files', async (page, mock) => {
  await visit(page, mock, '#/library')
  await rows(page).first().waitFor()
  await row(page, 'Tides of the Kattegat.pdf').getByRole('checkbox').check()
  await row(page, 'Refit budget.xlsx').getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Ask about them' }).click()
  const chips = page.getByRole('list', { name: 'Files that the question is about' })
  await chips.getByText('Refit budget.xlsx').waitFor()
  await ask(page, 'What does the mooring cost, and what does the gauge say?')
  await answered(page)
  assert.deepEqual(mock.turns.asked.file_ids, ['file-9', 'file-4'])
  await questions(page).last().getByRole('link', { name: 'Refit budget.xlsx' }).waitFor()
  // The next question is about the same files, until one is taken away.
  await chips.getByRole('button', { name: 'Ask without “Tides of the Kattegat.pdf”' }).click()
  await ask(page, 'And the life jackets?')
  await answered(page)
  assert.deepEqual(mock.turns.asked.file_ids, ['file-4'])
  await page.reload()
  await questions(page).first().getByRole('link', { name: 'Tides of the Kattegat.pdf' }).waitFor()
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await chips.waitFor({ state: 'detached' })
})

scenario('more than nine files are too many for a question', async (page, mock) => {
  await visit(page, mock, '#/library')
  await add(page, Array.from({ length: 3 }, (_, i) => text(`n${i}.txt`)))
  await page.getByText('12 files').waitFor()
  for (const box of await rows(page).getByRole('checkbox').all()) await box.check()
  await page.getByText('12 selected, 9 at most to ask about').waitFor()
  assert.ok(await page.getByRole('toolbar').getByRole('button', { name: /^Ask/ }).isDisabled())
})

scenario('a file is attached to a question, which is sent once the file is read', async (page, mock) => {
  await page.locator('#attach-files').setInputFiles(text('letter.txt', 'The lighthouse keeper writes: the lamp is lit at dusk.'))
  const chips = page.getByRole('list', { name: 'Files that the question is about' })
  await chips.getByText('letter.txt').waitFor()
  await ask(page, 'When is the lamp lit?')
  await page.getByText('is sent as soon as the files are read').waitFor()
  const answer = await answered(page)
  await answer.getByText('the lamp is lit at dusk').first().waitFor()
  assert.deepEqual(mock.turns.asked.file_ids, ['file-new-1'])
  // A second file belongs to the chat that there is now; one that is pasted is taken too.
  await page.getByRole('textbox', { name: 'Message' }).focus()
  await page.evaluate(() => {
    const data = new DataTransfer()
    data.items.add(new File(['Second letter: oil is short.'], 'second.txt', { type: 'text/plain' }))
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))
  })
  await chips.getByText('second.txt').waitFor()
  for (let i = 0; i < 50 && !mock.files.all.some(({ name }) => name === 'second.txt'); i++) await page.waitForTimeout(100)
  assert.match(mock.files.all.find(({ name }) => name === 'second.txt').chat_id, /^chat-new/)
  // And one that is dropped.
  const transfer = await page.evaluateHandle(() => {
    const data = new DataTransfer()
    data.items.add(new File(['Third'], 'broken.txt', { type: 'text/plain' }))
    return data
  })
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: transfer })
  await page.getByText('Drop to ask about it').waitFor()
  await page.dispatchEvent('body', 'drop', { dataTransfer: transfer })
  await ask(page, 'Is there oil?')
  await page.getByText('broken.txt could not be taken').waitFor()
  await chips.getByRole('button', { name: 'Ask without “broken.txt”' }).click()
  await questions(page).filter({ hasText: 'Is there oil?' }).waitFor()
  await answered(page)
  assert.deepEqual(mock.turns.asked.file_ids, ['file-new-1', 'file-new-2'])
}, { server: { pace: 120 } })

scenario('an empty library says what can be dropped', async (page, mock) => {
  await visit(page, mock, '#/library')
  await page.getByText('Nothing in the library yet').waitFor()
  await page.getByText(/reads PDFs, documents/).waitFor()
  await add(page, large('first.pdf', 1))
  await row(page, 'first.pdf').waitFor()
  assert.equal(await page.getByText('Nothing in the library yet').count(), 0)
}, { server: { empty: true } })
