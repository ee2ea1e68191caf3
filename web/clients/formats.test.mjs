// The same two questions in every format that is plain HTTP: a sum, for which the model calls a tool, and a model that
// would call tools for ever.
import assert from 'node:assert/strict'
import { test } from 'node:test'

const url = process.env.CONFIDANT_URL
const headers = { authorization: `Bearer ${process.env.CONFIDANT_TOKEN}`, 'content-type': 'application/json' }
const sum = 'What is 42 + 58?'
const endless = '[[loop:addNumbers {"a": 1, "b": 2}]] go on'

async function post(path, body, more = {}) {
  const response = await fetch(url + path, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })
  assert.equal(response.status, 200, `${path}: ${response.status}`)
  return response
}

/** The data of server-sent events, parsed. */
const events = (text) => text.split('\n\n').filter((block) => block.includes('data: ')).map((block) => JSON.parse(block.replace(/^[^]*?data: /, '')))

const native = async (message) => events(await (await post('/api/turns', { message }, { accept: 'text/event-stream' })).text())

test('native: a tool is called and the answer streamed', async () => {
  const log = await native(sum)
  assert.deepEqual(log.map((e) => e.seq), log.map((_, i) => i + 1))
  assert.equal(log.find((e) => e.type === 'tool.finished').result, 100)
  assert.match(log.find((e) => e.type === 'text.finished').text, /100/)
  assert.equal(log.at(-1).type, 'turn.closed')
})

test('native: tool rounds stop at the limit, with an answer', async () => {
  const log = await native(endless)
  assert.equal(log.filter((e) => e.type === 'tool.called').length, 9)
  assert.equal(log.filter((e) => e.type === 'step.finished').length, 10)
  assert.match(log.find((e) => e.type === 'text.finished').text, /Stopped after 9/)
})

test('O3: a tool is called and the answer streamed', async () => {
  const response = await post('/api/chat/stream', { message: sum })
  const chatId = response.headers.get('x-chat-id')
  const stream = events(await response.text())
  assert.equal(stream[0].type, 'message-start')
  assert.equal(stream[0].chatId, chatId)
  assert.equal(stream.find((e) => e.type === 'function_calls_to_execute').functionCallsToExecute[0].name, 'addNumbers')
  assert.equal(stream.find((e) => e.type === 'function_call_result').result, 100)
  assert.match(stream.filter((e) => e.type === 'content').map((e) => e.content).join(''), /100/)
  assert.equal(stream.at(-1).type, 'message-end')

  const second = events(await (await post('/api/chat/stream', { message: 'hello again', chatId })).text())
  assert.match(second.filter((e) => e.type === 'content').map((e) => e.content).join(''), /2 earlier messages/, 'history reaches the model')
})

test('O3: tool rounds stop at the limit, with an answer', async () => {
  const stream = events(await (await post('/api/chat/stream', { message: endless })).text())
  assert.equal(stream.filter((e) => e.type === 'function_call_result').length, 9)
  assert.match(stream.filter((e) => e.type === 'content').map((e) => e.content).join(''), /Stopped after 9/)
})

async function omi(text) {
  const lines = (await (await post('/v2/messages', { text })).text()).split('\n\n').filter(Boolean)
  const done = JSON.parse(Buffer.from(lines.at(-1).replace('done: ', ''), 'base64').toString())
  return { lines, done, text: lines.filter((l) => l.startsWith('data: ')).map((l) => l.slice(6).replaceAll('__CRLF__', '\n')).join('') }
}

test('Omi: a tool is called and the answer streamed', async () => {
  const { lines, done, text } = await omi(sum)
  assert.ok(lines.some((l) => l.startsWith('think: Adding numbers')))
  assert.match(text, /100/)
  assert.equal(done.text, text)
  assert.equal(done.sender, 'ai')
  const stored = await (await fetch(`${url}/v2/messages`, { headers })).json()
  assert.ok(stored.some((m) => m.id === done.id))
})

test('Omi: tool rounds stop at the limit, with an answer', async () => {
  assert.match((await omi(endless)).done.text, /Stopped after 9/)
})

async function encache(question) {
  const { chat_id, message_id, status } = await (await post('/memories/chat', { question })).json()
  assert.equal(status, 'thinking')
  for (;;) {
    const { messages } = await (await post('/chats/messages', { chat_id })).json()
    const answer = messages.find((m) => m.message_id === message_id)
    if (answer.ready) return answer.content
    assert.equal(answer.content, '')
    await new Promise((later) => setTimeout(later, 100))
  }
}

test('encache: the answer is there when it is ready', async () => assert.match(await encache(sum), /100/))
test('encache: tool rounds stop at the limit, with an answer', async () => assert.match(await encache(endless), /Stopped after 9/))
