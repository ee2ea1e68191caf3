// What the mock server answers: generators of [event, milliseconds to wait before it].
import { search, searchAll } from './search.mjs'

const pieces = (text) => text.match(/\s*\S+/g) ?? []

export function* say(text, ms = 18) {
  for (const delta of pieces(text)) yield [{ type: 'text.delta', delta }, ms]
}
function* think(text, ms = 18) {
  yield [{ type: 'reasoning.started' }, 10]
  for (const delta of pieces(text)) yield [{ type: 'reasoning.delta', delta }, ms]
  yield [{ type: 'reasoning.ended' }, 10]
}
export const call = (call_id, name, label, args) => [{ type: 'tool.called', call_id, name, label, arguments: args }, 20]
export const done = (call_id, display, result, more = {}) => [{ type: 'tool.finished', call_id, result, display, elapsed_ms: 214, ...more }, 260]

const cite = (hit, n) => {
  const { text: quote, kind, conversation_id, segment_id, title, speaker, at } = hit
  return { n, kind, conversation_id, segment_id, title, speaker, at, quote }
}

export function* finish(text, citations = [], followUps = []) {
  yield [{ type: 'step.finished', step: 1, model: 'mock-1', usage: null }, 5]
  yield [{ type: 'text.finished', text, citations }, 20]
  yield [{ type: 'turn.finished', usage: { input_tokens: 1830, cached_input_tokens: 512, output_tokens: 164, total_tokens: 1994 }, stop_reason: 'stop' }, 5]
  if (followUps.length > 0) yield [{ type: 'suggestions', follow_ups: followUps, new_chat: [] }, 60]
}

function* found(message, memory) {
  const { conversations } = memory
  yield [{ type: 'status', text: 'Looking through your recordings' }, 120]
  yield* think(`The person asks: “${message}”. I should look for the exact words first, then read around the best places before I answer.`)
  const hits = search(conversations, message, 3)
  yield call('c1', 'search_conversations', 'Searching recordings', { query: message, limit: 3 })
  yield call('c2', 'note_topic', null, { topic: 'recordings' })
  yield done('c2', null, { ok: true })
  yield done('c1', hits.length === 1 ? '1 place' : `${hits.length} places`, { results: hits, receipt: searchAll(memory, new URLSearchParams({ q: message, receipt: '1' })).receipt }, { sources: hits.map((hit, i) => cite(hit, i + 1)) })
  if (hits.length === 0) {
    const text = 'I found nothing about that in your recordings. Try other words, or import the recording in which it was said.'
    yield* say(text)
    yield* finish(text)
    return
  }
  const [first, ...others] = hits
  const lines = others.map((hit, i) => `- **${hit.speaker}**: “${hit.text}” [${i + 2}]`)
  const text = `**${first.speaker}** said in *${first.title}*: “${first.text}” [1]${lines.length > 0 ? `\n\nWhat else was said:\n\n${lines.join('\n')}` : ''}`
  yield* say(text)
  yield* finish(text, hits.map((hit, i) => cite(hit, i + 1)), ['Who promised to do what?', 'Read me the whole passage'])
}

function* slow() {
  const text = Array.from({ length: 60 }, (_, i) => `Line ${i + 1} of a long and patient answer.`).join(' ')
  yield* think('This will take a while. I take it slowly, step by step, and write down every line.', 40)
  yield* say(text, 25)
  yield* finish(text)
}

function* failing() {
  yield call('c1', 'search_web', 'Searching the web', { query: 'x' })
  yield [{ type: 'tool.finished', call_id: 'c1', error: { code: 'timeout', message: 'The search did not answer within 30 s.' }, display: null, elapsed_ms: 30_000 }, 200]
  yield* say('Let me try it')
  yield [{ type: 'turn.failed', code: 'provider_unavailable', message: 'The model cannot be reached at the moment.' }, 100]
}

function* retracting() {
  const text = 'This is the answer that counts.'
  yield* say('This was said by a step that ')
  yield [{ type: 'step.retracted', from_seq: 2 }, 300]
  yield* say(text)
  yield* finish(text)
}

function* approving(_, ctx) {
  yield call('c1', 'send_mail', 'Sending a message to Lindqvist', { to: 'lindqvist@yard.example', subject: 'Keel bolts, the 14th' })
  yield [{ type: 'approval.asked', call_id: 'c1', why: 'This sends an e-mail to lindqvist@yard.example in your name.' }, 50]
  const yes = yield ctx.approval
  yield [{ type: 'approval.given', call_id: 'c1', approve: yes }, 0]
  yield done('c1', yes ? 'Sent' : 'Not sent', { sent: yes })
  const text = yes ? 'Done: Lindqvist has your message.' : 'I have not sent anything.'
  yield* say(text)
  yield* finish(text)
}

function* handingOff() {
  yield [{ type: 'agent.changed', name: 'Travel', previous: 'Confidant' }, 200]
  yield* say('The ferry to Vinga leaves at nine.')
  yield* finish('The ferry to Vinga leaves at nine.')
}

function* known({ facts }) {
  const fact = facts.find((candidate) => !candidate.superseded_by && candidate.content.includes('milligrams'))
  const source = { n: 1, kind: 'memory', conversation_id: '', segment_id: fact.memory_id, title: 'What is known about you', speaker: '', at: fact.valid_from, quote: fact.content }
  const text = 'You take five milligrams in the morning. [1]'
  yield* say(text)
  yield* finish(text, [source])
}

const showcase = `Here is all that I can set.

## A plan

1. Replace the **keel bolts**
2. Order \`4\` life jackets
   - one of them *larger*

| What | Who | Cost |
|---|---|---:|
| Bolts | Lindqvist | 900 |
| Jackets | Jonas | 280 |

\`\`\`js
const total = [900, 280].reduce((sum, cost) => sum + cost, 0)
console.log(\`Together: \${total}\`)
\`\`\`

> Then let us take the fourteenth.

<script>alert(1)</script> and <b onclick="alert(1)">this</b> stay words, [this](javascript:alert(1)) is no link, and [that](https://example.org/) is one.`

function* markdown() {
  yield* say(showcase, 8)
  yield* finish(showcase)
}

const scenarios = [[/\bknow about me/i, known], [/\bslow/i, slow], [/\bfail/i, failing], [/\bretract/i, retracting], [/\bsend .*mail/i, approving], [/\bhand over/i, handingOff], [/\bmarkdown/i, markdown]]

export function answer(message, memory, ctx) {
  const match = scenarios.find(([pattern]) => pattern.test(message))
  return match ? match[1](memory, ctx) : found(message, memory)
}
