// The official npm client of OpenAI, pointed at Confidant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: `${process.env.CONFIDANT_URL}/v1`, apiKey: process.env.CONFIDANT_TOKEN, maxRetries: 0 })
const ask = (content) => ({ model: 'confidant', messages: [{ role: 'user', content }] })
const endless = '[[loop:addNumbers {"a": 1, "b": 2}]] go on'

test('a completion', async () => {
  const completion = await client.chat.completions.create(ask('What is 42 + 58?'))
  assert.match(completion.choices[0].message.content, /100/)
  assert.equal(completion.choices[0].finish_reason, 'stop')
  assert.ok(completion.usage.total_tokens > 0)
})

test('a streamed completion, with usage', async () => {
  const stream = await client.chat.completions.create({ ...ask('What is 42 + 58?'), stream: true, stream_options: { include_usage: true } })
  let text = ''
  let pieces = 0
  let usage
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? ''
    pieces += chunk.choices[0]?.delta?.content ? 1 : 0
    usage = chunk.usage ?? usage
  }
  assert.match(text, /100/)
  assert.ok(pieces > 1, 'the answer comes in pieces')
  assert.ok(usage.total_tokens > 0)
})

test('earlier messages reach the model', async () => {
  const completion = await client.chat.completions.create({
    model: 'confidant',
    messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'hello' }, { role: 'assistant', content: 'hi' }, { role: 'user', content: 'hello again' }],
  })
  assert.match(completion.choices[0].message.content, /2 earlier messages/)
})

test('tool rounds stop at the limit, with an answer', async () => {
  const completion = await client.chat.completions.create(ask(endless))
  assert.match(completion.choices[0].message.content, /Stopped after 9/)
})

test('the models', async () => {
  const models = await client.models.list()
  assert.deepEqual(models.data.map((m) => m.id), ['confidant'])
})

test('errors are the client’s own', async () => {
  const stranger = new OpenAI({ baseURL: `${process.env.CONFIDANT_URL}/v1`, apiKey: 'wrong', maxRetries: 0 })
  await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError)
  await assert.rejects(client.chat.completions.create({ model: 'confidant', messages: [] }), OpenAI.BadRequestError)
})
