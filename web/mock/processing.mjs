// How far the mock server's processing of a conversation is: a journal, and the steps that it leaves.
const names = ['discard', 'structure', 'folder', 'metadata', 'facts', 'tasks']

export class Processing {
  #journals = new Map()
  #steps = new Map()

  constructor({ model, pace }) {
    Object.assign(this, { model, pace })
  }

  /** What has been processed long ago needs no journal. */
  steps(conversation) {
    if (this.#steps.has(conversation.conversation_id)) return this.#steps.get(conversation.conversation_id)
    if (conversation.status === 'in_progress') return []
    return this.#outcome(conversation)
  }

  #outcome(conversation) {
    return names.map((name) => {
      const waits = this.model === 'builtin' && ['structure', 'facts', 'tasks'].includes(name)
      const state = conversation.discarded && name !== 'discard' ? 'skipped' : waits ? 'waiting' : 'done'
      return { name, state, attempts: 1, at: conversation.updated_at, ...(waits && { detail: 'This needs a language model; it is done when one is connected.' }) }
    })
  }

  start(conversation, done = () => {}) {
    const journal = { events: [], followers: new Set() }
    this.#journals.set(conversation.conversation_id, journal)
    conversation.status = 'processing'
    const steps = names.map((name) => ({ name, state: 'pending', attempts: 0, at: new Date().toISOString() }))
    this.#steps.set(conversation.conversation_id, steps)
    const append = (fields) => {
      const event = { seq: journal.events.length + 1, job_id: `job-${conversation.conversation_id}`, at: new Date().toISOString(), ...fields }
      journal.events.push(event)
      for (const send of journal.followers) send(event)
    }
    append({ type: 'queued', kind: 'conversation' })
    const queue = this.#outcome(conversation).flatMap((last, i) => {
      const set = (state, more = {}) => () => {
        Object.assign(steps[i], { state, ...more })
        append({ type: 'progress', step: last.name, state, ...more })
      }
      const counted = last.name === 'facts' && last.state === 'done' ? [set('running', { done: 1, total: 3 }), set('running', { done: 2, total: 3 })] : []
      return [set('running'), ...counted, set(last.state, last.detail ? { detail: last.detail } : {})]
    })
    const step = () => {
      const next = queue.shift()
      if (next) {
        next()
        setTimeout(step, this.pace)
        return
      }
      conversation.status = 'completed'
      done(conversation)
      append({ type: 'turn.closed' })
    }
    setTimeout(step, this.pace)
  }

  /** Server-sent events from a number on; null when there is no journal. */
  follow(conversation, after, request, response) {
    const journal = this.#journals.get(conversation.conversation_id)
    if (!journal) return null
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    const stop = () => {
      journal.followers.delete(send)
      response.end()
    }
    const send = (event) => {
      response.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      if (event.type === 'turn.closed') stop()
    }
    request.on('close', stop)
    journal.followers.add(send)
    journal.events.slice(after).forEach(send)
    return 'streaming'
  }
}
