// The library of the mock server: documents with pages, cut into chunks as the real server does it.
import { createHash } from 'node:crypto'
import { at } from './data.mjs'

const office = 'application/vnd.openxmlformats-officedocument'
export const types = {
  pdf: 'application/pdf', docx: `${office}.wordprocessingml.document`, pptx: `${office}.presentationml.presentation`, xlsx: `${office}.spreadsheetml.sheet`,
  html: 'text/html', eml: 'message/rfc822', jpg: 'image/jpeg', png: 'image/png', md: 'text/markdown', csv: 'text/csv', txt: 'text/plain',
}
export const typeOf = (name) => types[name.split('.').at(-1).toLowerCase()] ?? 'text/plain'

const tides = [
  ['i', '# Tides of the Kattegat\n\n*A handbook for small boats*, third edition\n\nHarbour office of Göteborg — with thanks to everybody who read a gauge in the rain 🌧️.'],
  ['ii', '## Contents\n\n1. Why the water moves\n2. Reading a gauge\n3. Vinga and the islands\n4. When not to sail'],
  ['1', '## 1. Why the water moves\n\nThe Kattegat has hardly any tide of the moon’s: at Göteborg the range is **0.3 m**, at most. What lifts and lowers the water here is the wind, and the weight of the air — “the barometer’s tide”, as the pilots say 🌊.\n\nA fall of the pressure by one hectopascal lifts the water by about one centimetre. A storm from the west can add a metre within six hours, and takes it away again in a night.\n\n> Who looks at the moon only, runs aground at noon.'],
  ['2', '## 2. Reading a gauge\n\nThe gauges show the height over the mean water of the year, in centimetres. Read them three times, a minute apart, and take the middle value.\n\n| Gauge | Lowest | Highest | Mean range |\n|---|---:|---:|---:|\n| Göteborg, Torshamnen | −82 | 148 | 31 |\n| Vinga | −74 | 131 | 28 |\n| Ringhals | −79 | 139 | 30 |\n\nThe table holds what was measured between 1967 and 2019; see [12] for the method.'],
  ['3', '## 3. Vinga and the islands\n\nThe sound south of Vinga is 4.2 m deep at mean water. With a keel of 1.9 m leave half a metre for the swell, so:\n\n```\nneeded = 1.9 + 0.5 = 2.4 m\nspare  = 4.2 - 2.4 = 1.8 m\n```\n\n- Do not pass when the gauge is below −60 cm and the wind is from the east.\n- The mooring at the north pier holds boats up to *eleven* metres.\n- Fresh water is at the lighthouse, from May to September.'],
  ['4', '## 4. When not to sail\n\nStay in the harbour when two of these are true: the pressure has fallen by more than six hectopascal in three hours; the gauge has risen by thirty centimetres since the morning; the gulls walk.\n\nQuestions are answered at the harbour office, weekdays from eight.'],
]
const contract = ['# Mooring contract\n\nBetween the harbour office and **Jonas Berg**, for the berth 14 at the north pier.', '## Terms\n\nThe berth costs 640 a year, due in April. Either side may end the contract by the end of October.\n\n1. The owner keeps the boat insured.\n2. The harbour keeps the pier lit.']
const slides = ['# Launch in French\n\nWhat is translated, what waits for legal', '# Dates\n\n- Screenshots: the sixteenth\n- Launch: the twenty-second', '# Who does what\n\n| What | Who |\n|---|---|\n| Checklist | Amira |\n| Partners | Tom |']
const sheet = ['| Item | Cost |\n|---|---:|\n| Keel bolts | 900 |\n| Life jackets | 280 |\n| Mooring | 640 |']

/** [name, pages, the rest] of what is in the library from the beginning, the newest last. */
const shelf = [
  ['Recipes from Ella.txt', ['Pancakes: 3 eggs, 2 cups of flour, a pinch of salt, milk as needed.'], { days: 41, summary: 'How to make pancakes, with what is in the kitchen.' }],
  ['mast.jpg', ['Selden 1982 — serial 40-118'], { days: 30, size: 2_413_000, summary: 'A photograph of a mast’s plate; it reads “Selden 1982”.' }],
  ['Harbour guide.html', ['# Harbour guide\n\nGuests call on channel 12 before they come in. The ferry has right of way.'], { days: 22, summary: 'How guests of the harbour announce themselves, and who has right of way.' }],
  ['Refit budget.xlsx', sheet, { days: 12, summary: 'What the refit of the Kestrel costs: 1,820 in all.' }],
  ['Offer from the yard.eml', ['**From:** Lindqvist\n**Subject:** Keel bolts, the 14th\n\nThree days in the yard, nine hundred for both bolts, and the crane is free on the fourteenth.'], { days: 6, summary: 'Lindqvist offers to replace both keel bolts for nine hundred, in three days from the fourteenth.' }],
  ['Launch in French.pptx', slides, { days: 5, summary: 'Dates and owners of the launch in French.' }],
  ['Survey 1998.pdf', [], { days: 4, size: 914_000, state: 'failed', reason: 'This PDF is locked with a password. Save it without one, and add it again.' }],
  ['Mooring contract.docx', contract, { days: 3, summary: 'A berth at the north pier for 640 a year; either side may end it by the end of October.' }],
  ['Tides of the Kattegat.pdf', tides, { days: 1, size: 3_418_112, title: 'Tides of the Kattegat', summary: 'A handbook for small boats: why wind and air pressure move the water more than the moon, how to read a gauge, and when not to sail.', notes: ['Page 2 is a picture; its words were recognised.'] }],
]

/** Cuts the paragraphs of a page into chunks; start and end are bytes of UTF-8. */
export function chunksOf(fileId, page, text) {
  const chunks = []
  let headings = []
  for (const { 0: paragraph, index } of text.matchAll(/[^\n][\s\S]*?(?=\n\n|$(?![\s\S]))/g)) {
    const heading = /^#+ (.*)$/.exec(paragraph.trim())
    if (heading) {
      headings = [heading[1]]
      continue
    }
    const start = Buffer.byteLength(text.slice(0, index))
    chunks.push({ chunk_id: `${fileId}-${page}-${chunks.length}`, position: chunks.length, page, start, end: start + Buffer.byteLength(paragraph), headings, text: paragraph, type: 'Others' })
  }
  return chunks
}

/** Gives a file its pages and chunks. */
export function fill(file, pages) {
  file.pages = pages.map((page, i) => {
    const [label, text] = Array.isArray(page) ? page : [undefined, page]
    return { page: i + 1, ...(label && { label }), text, chunks: chunksOf(file.file_id, i + 1, text) }
  })
  file.page_count = pages.length
  file.chunk_count = file.pages.reduce((sum, page) => sum + page.chunks.length, 0)
}

export function record(file_id, name, more = {}) {
  const now = new Date().toISOString()
  return { file_id, name, type: typeOf(name), size: 1, sha256: createHash('sha256').update(file_id).digest('hex'), state: 'in_progress', stage: 'queued', page_count: 0, chunk_count: 0, created_at: now, updated_at: now, revision: 1, pages: [], ...more }
}

export function library() {
  return shelf.map(([name, pages, { days, ...more }], i) => {
    const file = record(`file-${i + 1}`, name, { size: 8_192 * (i + 1), state: 'success', stage: 'done', created_at: at(days, 9, i), updated_at: at(days, 9, i), ...more })
    fill(file, pages)
    if (file.state === 'failed') file.stage = 'extract'
    return file
  })
}
