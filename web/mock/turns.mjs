// Turns of the mock server: each a journal in memory that goes on whoever is connected.
import { answer } from './answers.mjs'
import { Journal } from './journal.mjs'
import { aboutFiles } from './quoting.mjs'
import { invalid } from './refusal.mjs'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
let count = 0

export class Turns {
  all = new Map()
  #keys = new Map()
  #streams = new Set()

  constructor(chats, memory) {
    Object.assign(this, { chats, memory })
  }

  start({ message, chat_id, replaces, file_ids = [] }, key) {
    if (file_ids.length > 9) throw invalid('A question can be about 9 files at most.')
    for (const id of file_ids) this.memory.files.find(id)
    if (key && this.#keys.has(key)) return this.#keys.get(key)
    const id = ++count
    const now = new Date().toISOString()
    const chat = this.chats.get(chat_id) ?? { chat_id: `chat-new-${id}`, title: message.slice(0, 60), created_at: now, messages: [] }
    this.chats.set(chat.chat_id, chat)
    if (replaces) {
      const at = chat.messages.findIndex((other) => other.message_id === replaces)
      if (at >= 0) chat.messages.splice(at)
    }
    const ids = { turn_id: `turn-${id}`, chat_id: chat.chat_id, message_id: `msg-${id}`, answer_id: `ans-${id}` }
    const common = { chat_id: chat.chat_id, turn_id: ids.turn_id, state: 'ok', created_at: now, citations: [] }
    const reply = { ...common, message_id: ids.answer_id, role: 'assistant', content: '', ready: false }
    chat.messages.push({ ...common, message_id: ids.message_id, role: 'user', content: message, ready: true, ...(file_ids.length > 0 && { file_ids }) }, reply)
    chat.last_activity = now
    chat.running_turn_id = ids.turn_id
    const turn = { ...ids, state: 'running', journal: new Journal({ turn_id: ids.turn_id, agent: 'confidant' }), reply, chat }
    this.all.set(ids.turn_id, turn)
    if (key) this.#keys.set(key, ids)
    this.asked = { message, file_ids }
    void this.#run(turn, message, file_ids)
    return ids
  }

  outline({ turn_id, chat_id, message_id, answer_id, state, journal }) {
    return { turn_id, chat_id, message_id, answer_id, state, last_seq: journal.events.length }
  }

  cancel(turn) {
    turn.cancelled = true
    turn.decide?.(false)
  }

  approve(turn, yes) {
    turn.decide?.(yes)
  }

  cut() {
    for (const stream of this.#streams) stream.destroy()
  }

  async #run(turn, message, fileIds) {
    await sleep(60)
    turn.journal.append({ type: 'turn.started', chat_id: turn.chat_id, message_id: turn.message_id, route: 'agentic' })
    const steps = aboutFiles(message, this.memory.files, fileIds) ?? answer(message, this.memory, { approval: 'approval' })
    let said = ''
    let given
    for (;;) {
      const { value, done } = steps.next(given)
      given = undefined
      if (done || turn.cancelled) break
      if (value === 'approval') {
        given = await new Promise((resolve) => (turn.decide = resolve))
        continue
      }
      const [event, wait] = value
      await sleep(wait)
      if (turn.cancelled) break
      if (event.type === 'text.delta') said += event.delta
      if (event.type === 'step.retracted') said = ''
      if (event.type === 'text.finished') Object.assign(turn.reply, { content: event.text, citations: event.citations })
      if (event.type === 'turn.finished') event.message_id = turn.answer_id
      if (event.type === 'turn.finished') Object.assign(turn.reply, { ready: true })
      if (event.type === 'turn.failed') Object.assign(turn.reply, { ready: true, state: 'failed', content: said, error: { code: event.code, message: event.message } })
      if (event.type === 'turn.finished') turn.state = 'finished'
      if (event.type === 'turn.failed') turn.state = 'failed'
      turn.journal.append(event)
    }
    if (turn.cancelled && turn.state === 'running') {
      turn.state = 'cancelled'
      Object.assign(turn.reply, { ready: true, state: 'cancelled', content: said })
      turn.journal.append({ type: 'turn.cancelled', by: 'user' })
    }
    if (turn.chat.running_turn_id === turn.turn_id) delete turn.chat.running_turn_id
    if (turn.state === 'finished' && turn.chat.messages.length === 2) {
      turn.chat.title = message.replace(/[?.!]+$/, '').slice(0, 60)
      turn.journal.append({ type: 'metadata', title: turn.chat.title })
    }
    turn.journal.append({ type: 'turn.closed' })
  }

  follow(turn, after, response) {
    this.#streams.add(response)
    response.on('close', () => this.#streams.delete(response))
    return turn.journal.follow(after, response)
  }
}
