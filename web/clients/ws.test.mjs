// ODAI's WebSocket through the npm package ws.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import WebSocket from 'ws'

const base = process.env.CONFIDANT_URL.replace('http', 'ws')
const token = process.env.CONFIDANT_TOKEN

/** A socket whose messages can be awaited one by one. */
async function connect(chat = randomUUID(), withToken = token) {
  const socket = new WebSocket(`${base}/chats/${chat}?token=${withToken}`)
  const waiting = []
  const arrived = []
  socket.on('message', (data) => {
    const message = JSON.parse(data)
    waiting.length ? waiting.shift()(message) : arrived.push(message)
  })
  await new Promise((open, fail) => socket.once('open', open).once('error', fail))
  return {
    socket,
    next: () => (arrived.length ? arrived.shift() : new Promise((resolve) => waiting.push(resolve))),
    /** All messages up to and with the first of a type. */
    async until(type) {
      const messages = []
      do messages.push(await this.next())
      while (messages.at(-1).type !== type)
      return messages
    },
  }
}

const text = (messages) => messages.filter((m) => m.type === 'raw_response_event').map((m) => m.delta).join('')

test('a tool is called and the answer streamed, as JSON and as raw text', async () => {
  const client = await connect()
  client.socket.send(JSON.stringify({ message: 'What is 42 + 58?', thread_id: 't1' }))
  const messages = await client.until('suggested_prompts')
  const call = messages.find((m) => m.type === 'tool_call')
  assert.equal(call.name, 'addNumbers')
  assert.match(call.description, /\.\.\.$/)
  assert.ok(messages.find((m) => m.type === 'tool_output'))
  assert.match(text(messages), /100/)
  assert.equal(messages.find((m) => m.type === 'llm_response').response, text(messages))
  assert.deepEqual(messages.map((m) => m.type).slice(-2), ['end_of_stream', 'suggested_prompts'])
  assert.ok(messages.at(-1).prompts.every((p) => typeof p === 'string'))

  client.socket.send('hello again')
  assert.match(text(await client.until('suggested_prompts')), /2 earlier messages/)
  client.socket.close()
})

test('tool rounds stop at the limit, with an answer', async () => {
  const client = await connect()
  client.socket.send('[[loop:addNumbers {"a": 1, "b": 2}]] go on')
  assert.match(text(await client.until('end_of_stream')), /Stopped after 9/)
  client.socket.close()
})

test('several prompts are answered in their order', async () => {
  const client = await connect()
  for (const prompt of ['first', 'second', 'third']) client.socket.send(prompt)
  for (const prompt of ['first', 'second', 'third']) assert.match(text(await client.until('suggested_prompts')), new RegExp(prompt))
  client.socket.close()
})

test('a prompt can be cancelled', async () => {
  const client = await connect()
  client.socket.send('[[deltas:1000 every:50ms]]')
  await client.until('raw_response_event')
  const asked = Date.now()
  client.socket.send(JSON.stringify({ type: 'cancel' }))
  await client.until('end_of_stream')
  assert.ok(Date.now() - asked < 1500, 'within about a second')
  client.socket.close()
})

test('a bad token is closed at once, with the reason', async () => {
  const socket = new WebSocket(`${base}/chats/c1?token=wrong`)
  const [code, reason] = await new Promise((closed) => socket.on('close', (...how) => closed(how)))
  assert.equal(code, 1008)
  assert.match(String(reason), /token/i)
})
