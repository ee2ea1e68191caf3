// Manuals of Debian's packages, put into the library by the page of the built binary: without a language model
// questions are answered with references, and each opens the file at the page that says it.
import assert from 'node:assert/strict'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { answered, ask, launch, open, signedOut, signIn } from '../test/browser.mjs'

const server = { url: process.env.CONFIDANT_URL, token: process.env.CONFIDANT_TOKEN }
const folder = resolve(import.meta.dirname, '../../bin/pdfs')
const manuals = ['fhs-3.0.pdf', 'libtasn1.pdf', 'manual.pdf', 'shared-mime-info-spec.pdf'] // of bzip2 is the third
const headers = { Authorization: `Bearer ${server.token}` }

// The words stand on the page that is expected to open; poppler finds them there.
const asked = [
  ['Which directory is reserved for the installation of add-on application software packages?', 'fhs-3.0.pdf', /\/opt/],
  ['How much memory does bzip2 need to decompress a file?', 'manual.pdf', /memory/i],
  ['What does asn1_der_coding do with the DER encoding?', 'libtasn1.pdf', /asn1.der.coding/i],
]

let browser

before(async () => {
  browser = await launch()
})
after(() => browser?.close())

test('manuals are dropped into the library and read', async () => {
  const { page, context, faults } = await open(browser, server.url, { allowed: [signedOut] })
  await signIn(page, server)
  await page.goto(`${server.url}/#/library`)
  await page.locator('#library-files').setInputFiles(manuals.map((name) => join(folder, name)))
  const row = (name) => page.getByRole('region', { name: 'Files' }).getByRole('listitem').filter({ hasText: name })
  for (const name of manuals) await row(name).and(page.locator('[data-state="success"]')).waitFor({ timeout: 300_000 })
  assert.match(await row('libtasn1.pdf').innerText(), /36 pages/)
  assert.deepEqual(faults, [])
  await context.close()
})

for (const [question, name, words] of asked) {
  test(question, async () => {
    const { page, context, faults } = await open(browser, server.url, { allowed: [signedOut] })
    await signIn(page, server)
    await ask(page, question)
    const answer = await answered(page)
    const reference = answer.getByRole('button', { name: new RegExp(`${name}.*page \\d+`, 'i') }).first()
    await reference.waitFor()
    const number = Number((await reference.innerText()).match(/(\d+)\s*$/)[1])
    await reference.click()
    const reader = page.getByRole('complementary', { name: 'Source', exact: true })
    await reader.getByLabel('Go to page').and(page.locator(`input`)).waitFor()
    assert.equal(Number(await reader.getByLabel('Go to page').inputValue()), number)
    await reader.locator('mark').first().waitFor()
    assert.match((await reader.getByRole('group', { name: `Text of page ${number}` }).innerText()), words)
    if (process.env.CONFIDANT_SHOTS) await page.screenshot({ path: join(process.env.CONFIDANT_SHOTS, `library-${name}.png`) })
    // The server's own record of the page says the same.
    const { files } = await (await fetch(`${server.url}/api/files?q=${name}`, { headers })).json()
    const found = await Promise.all(files.map(async ({ file_id: id }) => (await (await fetch(`${server.url}/api/files/${id}/pages?from=${number}&until=${number}`, { headers })).json()).pages))
    assert.ok(found.flat().some(({ text }) => words.test(text)), `page ${number} of ${name} does not say it`)
    assert.deepEqual(faults, [])
    await context.close()
  })
}
