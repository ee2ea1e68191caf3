// Ten questions of a person with no language model: time words, names, other words than were said. The page shows the
// answer, and its source opens at the very turn.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { answered, ask, launch, open, signedOut, signIn } from '../test/browser.mjs'

const server = { url: process.env.CONFIDANT_URL, token: process.env.CONFIDANT_TOKEN }
const now = new Date()
const day = 24 * 3600 * 1000

/** Nine in the morning so many days ago. */
const daysAgo = (n) => {
  const at = new Date(now.getTime() - n * day)
  at.setHours(9, 0, 0, 0)
  return at
}

/** The last day before today of that weekday, Sunday being 0. */
const last = (weekday) => daysAgo((now.getDay() - weekday + 7) % 7 || 7)

/** The tenth of the last month of that number, January being 0, that is over. */
const lastMonth = (month) => new Date(now.getFullYear() - (month < now.getMonth() ? 0 : 1), month, 10, 9)

const talks = [
  [last(2), 'Ana: How do we stand?', 'John: We have to cut the budget for advertising by ten percent.', 'Ana: That will hurt the campaign.'],
  [daysAgo(24), 'John: The budget is fine as it is, nothing changes.', 'Ana: Good.'],
  [daysAgo(40), 'Ana: By the way, you still owe me forty euros for the concert tickets.', 'Ben: I know, next week.'],
  [daysAgo(1), 'Marta: The roofer came.', 'Marta: Three tiles above the kitchen are broken, and water comes in.', 'Ben: Then he must come again.'],
  [daysAgo(90), 'Marta: Kiko has learned to whistle the anthem.', 'Ben: Your parrot is cleverer than my dog.', 'Ana: What does it eat?'],
  [daysAgo(14), 'Ana: The ferry to the island leaves at seven.', 'Ben: I shall pack the tent tonight.'],
  [last(1), 'Jürgen: Die Heizung im Keller verliert Wasser.', 'Ana: Dann rufe ich den Klempner an.'],
  [daysAgo(60), 'Cem: Shall we sell the piano?', 'Dora: Only over my dead body.', 'Cem: Then it stays.'],
  [new Date(now.getTime() - 6 * 3600 * 1000), 'Ana: The parcel for Lisbon is ready.', 'Cem: The courier takes it at noon.'],
  [daysAgo(120), 'Ben: My sister moved to Porto last year.', 'Ana: Does she like it there?', 'Ben: She misses the snow.'],
  [lastMonth(2), 'Dora: We planted forty apple trees behind the barn.', 'Cem: And the deer ate nine of them.'],
]

const questions = [
  ['What did John say about the budget last Tuesday?', 'cut the budget for advertising'],
  ['What do I still owe Ana?', 'forty euros'],
  ['What about the tiles and the roof yesterday?', 'Three tiles above the kitchen'],
  ['Does somebody want to get rid of a musical instrument?', 'sell the piano'],
  ['When does the ferry go, from two weeks ago?', 'leaves at seven'],
  ['Was hat Jürgen am Montag über die Heizung gesagt?', 'verliert Wasser'],
  ['Who said "over my dead body"?', 'Only over my dead body'],
  ['Who takes the parcel we talked about 6 hours ago?', 'courier takes it'],
  ["Where does Ben's sister live?", 'moved to Porto'],
  ['How many apple trees were planted in March?', 'forty apple trees'],
]

const headers = { Authorization: `Bearer ${server.token}` }

async function call(method, path, body) {
  const response = await fetch(server.url + path, { method, headers: { ...headers, 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) })
  assert.ok(response.ok, `${method} ${path}: ${response.status}`)
  return response.json()
}

let browser

before(async () => {
  for (const [at, ...lines] of talks) {
    const segments = lines.map((line, i) => {
      const [speaker, text] = line.split(': ')
      return { speaker, text, start: 10 * i, end: 10 * i + 8 }
    })
    await call('POST', '/api/conversations', { started_at: at.toISOString(), segments })
  }
  for (let tries = 0; (await call('GET', '/api/status')).indexing.pending > 0; tries++) {
    assert.ok(tries < 600, 'embedding takes over a minute')
    await new Promise((later) => setTimeout(later, 100))
  }
  browser = await launch()
})
after(() => browser?.close())

for (const [question, turn] of questions) {
  test(question, async () => {
    const { page, context } = await open(browser, server.url, { allowed: [signedOut] })
    await signIn(page, server)
    await ask(page, question)
    const answer = await answered(page)
    const sources = answer.getByRole('button', { name: /^Source \d/ })
    const opened = []
    for (let i = 0; i < (await sources.count()); i++) {
      await sources.nth(i).click()
      const current = page.getByRole('complementary', { name: 'Source', exact: true }).locator('[aria-current]')
      await current.waitFor()
      opened.push(await current.innerText())
      if (opened.at(-1).includes(turn)) break
    }
    assert.ok(opened.at(-1)?.includes(turn), `no source opened at “${turn}”, but at: ${opened.join(' | ')}`)
    assert.ok(opened.length <= 2, `it was source ${opened.length}: ${opened.join(' | ')}`)
    await context.close()
  })
}
