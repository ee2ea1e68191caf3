// Reading a file in the page: the marked passage, pages, pictures, finding, and the ways that lead there.
import assert from 'node:assert/strict'
import { answered, answers, ask } from './browser.mjs'
import { press, scenario, visit } from './scenario.mjs'

const tides = '#/library/file-9'
const marked = async (within) => (await within.locator('mark').allInnerTexts()).join('|')
const inSight = (node) => node.evaluate((element) => {
  const { top, bottom } = element.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
})
const side = (page, kind, n) => page.getByRole('group', { name: `${kind} of page ${n}` })

scenario('a passage is marked by its bytes, and in sight', async (page, mock) => {
  // Umlauts, quotation marks and an emoji stand before it: bytes and letters are far apart.
  await visit(page, mock, `${tides}?page=3&chunk=file-9-3-1`)
  const text = side(page, 'Text', 3)
  await text.locator('mark').first().waitFor()
  assert.equal(await marked(text), mock.files.find('file-9').pages[2].chunks[1].text)
  assert.ok(await inSight(text.locator('mark').first()))
  await visit(page, mock, `${tides}?page=5&chunk=file-9-5-1`)
  await side(page, 'Text', 5).locator('mark').first().waitFor()
  assert.equal(await marked(side(page, 'Text', 5)), 'needed = 1.9 + 0.5 = 2.4 m\nspare  = 4.2 - 2.4 = 1.8 m')
  await page.getByText('“3”').waitFor()
})

scenario('a passage far down a long page is scrolled to', async (page, mock) => {
  await page.locator('#attach-files').setInputFiles({ name: 'long.txt', mimeType: 'text/plain', buffer: Buffer.from(Array.from({ length: 200 }, (_, i) => `Paragraph ${i} – über das Wasser.`).join('\n\n')) })
  await page.getByRole('list', { name: 'Files that the question is about' }).getByText('long.txt').waitFor()
  await page.waitForFunction(() => !document.querySelector('form .spinner'))
  await visit(page, mock, '#/library/file-new-1?page=1&chunk=file-new-1-1-170')
  const mark = page.locator('mark')
  await mark.first().waitFor()
  assert.equal(await mark.first().innerText(), 'Paragraph 170 – über das Wasser.')
  assert.ok(await inSight(mark.first()))
})

scenario('pages are turned by buttons, by keys and by number', async (page, mock) => {
  await visit(page, mock, tides)
  await side(page, 'Text', 1).getByText('A handbook for small boats').waitFor()
  await page.getByRole('button', { name: 'Next page' }).click()
  await side(page, 'Text', 2).getByText('Contents').waitFor()
  await page.getByText('“ii”').waitFor()
  await page.locator('main').focus()
  await press(page, 'ArrowRight', 'ArrowRight')
  await side(page, 'Text', 4).getByText('Reading a gauge').waitFor()
  assert.equal(await page.getByRole('table').getByRole('row').count(), 4)
  await press(page, 'ArrowLeft')
  await side(page, 'Text', 3).waitFor()
  const number = page.getByRole('textbox', { name: 'Go to page' })
  await number.fill('99')
  await number.press('Enter')
  await side(page, 'Text', 6).waitFor()
  assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled())
  await page.waitForURL(/page=6/)
  await page.reload()
  await side(page, 'Text', 6).waitFor()
})

scenario('the picture of a page has the marks where the passage is', async (page, mock) => {
  await visit(page, mock, `${tides}?page=4&chunk=file-9-4-1`)
  await side(page, 'Text', 4).waitFor()
  const picture = side(page, 'Picture', 4)
  const mark = picture.locator('.mark')
  await mark.first().waitFor()
  const image = await picture.getByRole('img', { name: 'Tides of the Kattegat.pdf, page 4, as it looks' }).boundingBox()
  const box = await mark.first().boundingBox()
  // What the server says: x 0.12, y after the first paragraph, 0.76 wide.
  assert.ok(Math.abs((box.x - image.x) / image.width - 0.12) < 0.01 && Math.abs(box.width / image.width - 0.76) < 0.01, JSON.stringify({ image, box }))
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await picture.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Picture', exact: true }).click()
  await side(page, 'Text', 4).waitFor({ state: 'detached' })
  // A document without pictures has nothing to choose.
  await visit(page, mock, '#/library/file-8')
  await side(page, 'Text', 1).getByText('Mooring contract').waitFor()
  assert.equal(await page.getByRole('group', { name: 'Show the page as' }).count(), 0)
})

scenario('what is looked for in a file is listed and opened', async (page, mock) => {
  await visit(page, mock, tides)
  await side(page, 'Text', 1).waitFor()
  await page.locator('main').focus()
  await press(page, 'f')
  await page.getByRole('searchbox', { name: 'Find in this file' }).fill('mooring north pier')
  const found = page.getByRole('list', { name: 'Passages' }).getByRole('button')
  await found.filter({ hasText: 'Page 5' }).first().click()
  await side(page, 'Text', 5).locator('mark').first().waitFor()
  assert.match(await marked(side(page, 'Text', 5)), /The mooring at the north pier/)
  await page.waitForURL(/page=5&chunk=file-9-5-2&find=mooring/)
  await page.getByRole('searchbox', { name: 'Find in this file' }).fill('zebra')
  await page.getByText('Nothing found for “zebra”').waitFor()
  await press(page, 'Escape')
  await page.getByRole('searchbox', { name: 'Find in this file' }).waitFor({ state: 'detached' })
})

scenario('a reference in an answer opens the page beside it, with the passage marked', async (page) => {
  await ask(page, 'What does the handbook say about the gauge at Vinga?')
  const answer = await answered(page)
  const chip = answer.getByRole('button', { name: 'Tides of the Kattegat.pdf page 4', exact: true })
  assert.equal((await chip.innerText()).replace(/\s+/g, ' '), 'Tides of the Kattegat.pdf page 4')
  await chip.click()
  const panel = page.getByRole('complementary', { name: 'Source', exact: true })
  await panel.locator('mark').first().waitFor()
  assert.match(await marked(panel), /Gauge\|Lowest\|Highest/)
  assert.equal(await chip.getAttribute('aria-expanded'), 'true')
  // From there one may go on reading without leaving the answer.
  await panel.getByRole('button', { name: 'Next page' }).click()
  await panel.getByText('Vinga and the islands').waitFor()
  assert.equal(await panel.locator('mark').count(), 0)
  await panel.getByRole('button', { name: 'Next source' }).click()
  await panel.locator('mark').first().waitFor()
  await press(page, 'Escape')
  await panel.waitFor({ state: 'detached' })
  // The sources name the file, the pages and the words.
  const sources = answer.getByRole('group', { name: 'Sources' })
  await sources.getByRole('button', { name: /^Page 5/ }).click()
  await panel.locator('mark').first().waitFor()
  await panel.getByRole('link', { name: 'Tides of the Kattegat.pdf' }).click()
  await page.waitForURL(/#\/library\/file-9\?page=5&chunk=file-9-5-/)
  await page.locator('mark').first().waitFor()
  await page.goBack()
  await answers(page).last().getByRole('button', { name: 'Tides of the Kattegat.pdf page 4', exact: true }).waitFor()
})

scenario('what is no reference stays what it was', async (page) => {
  await ask(page, 'What does the handbook say about the gauge at Vinga?')
  const answer = await answered(page)
  assert.equal(await answer.getByRole('link', { name: 'a page of the web' }).getAttribute('href'), 'https://tides.example/')
  assert.equal(await answer.getByRole('link', { name: 'nowhere' }).count() + await answer.getByRole('button', { name: /nowhere/ }).count(), 0)
})

scenario('search results of files open where they are', async (page, mock) => {
  await visit(page, mock, '#/search?q=barometer%20pilots&kinds=chunk')
  await page.getByRole('list', { name: 'Pages' }).getByRole('link').first().click()
  await page.waitForURL(/library\/file-9\?page=3&chunk=/)
  await page.locator('mark').first().waitFor()
  assert.match(await marked(side(page, 'Text', 3)), /as the pilots say/)
  await visit(page, mock, '#/search?q=handbook&kinds=file')
  await page.getByRole('list', { name: 'Files' }).getByRole('link').first().click()
  await page.waitForURL(/library\/file-9$/)
})

scenario('a file that is gone, failed or not read yet says so', async (page, mock) => {
  await visit(page, mock, '#/library/file-404')
  await page.getByText('This file is not there any more').waitFor()
  await visit(page, mock, '#/library/file-7')
  await page.getByText('locked with a password').waitFor()
  await visit(page, mock, '#/library')
  await page.locator('#library-files').setInputFiles({ name: 'slow.txt', mimeType: 'text/plain', buffer: Buffer.from('One\fTwo\fThree') })
  await page.getByRole('link', { name: /^slow.txt/ }).click()
  await page.getByRole('status').getByText(/^Reading page/).waitFor()
  await side(page, 'Text', 1).getByText('One').waitFor()
  await visit(page, mock, `${tides}?page=3&chunk=file-9-3-77`)
  await page.getByText('The passage is not on this page any more').waitFor()
}, { server: { pace: 400 }, allowed: [/404/] })
