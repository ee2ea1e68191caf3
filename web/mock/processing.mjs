// How far the mock server's processing of a conversation is: a journal, and the steps that it leaves.
import { Journal } from './journal.mjs'

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
    const journal = new Journal({ job_id: `job-${conversation.conversation_id}` })
    this.#journals.set(conversation.conversation_id, journal)
    conversation.status = 'processing'
    const steps = names.map((name) => ({ name, state: 'pending', attempts: 0, at: new Date().toISOString() }))
    this.#steps.set(conversation.conversation_id, steps)
    journal.append({ type: 'queued', kind: 'conversation' })
    const queue = this.#outcome(conversation).flatMap((last, i) => {
      const set = (state, more = {}) => () => {
        Object.assign(steps[i], { state, ...more })
        journal.append({ type: 'progress', step: last.name, state, ...more })
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
      journal.append({ type: 'turn.closed' })
    }
    setTimeout(step, this.pace)
  }

  /** The journal of the newest processing; null when there is none. */
  journal(conversation) {
    return this.#journals.get(conversation.conversation_id) ?? null
  }
}
