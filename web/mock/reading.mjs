// How the mock server reads a file: a journal, stage by stage, with the failures that a test asks for by the name of the file.
import { fill } from './documents.mjs'
import { Journal } from './journal.mjs'

/** Name → why it cannot be read. `flaky` can, the second time. */
const failures = [[/broken/, 'The file ends in its middle; it was not copied completely.'], [/flaky/, 'Reading stopped: the disk was busy. Try again.']]

export class Reading {
  #journals = new Map()
  #tried = new Map()

  constructor(pace) {
    this.pace = pace
  }

  start(file, content) {
    const journal = new Journal({ job_id: `job-${file.file_id}` })
    this.#journals.set(file.file_id, journal)
    const tried = (this.#tried.get(file.file_id) ?? 0) + 1
    this.#tried.set(file.file_id, tried)
    Object.assign(file, { state: 'in_progress', stage: 'queued', done: undefined, total: undefined, reason: undefined })
    journal.append({ type: 'queued', kind: 'file' })
    const pages = pagesOf(file, content)
    const set = (stage, done, total) => () => {
      Object.assign(file, { stage, done, total })
      journal.append({ type: 'progress', step: stage, state: 'running', done, total })
    }
    const reason = failures.find(([pattern]) => pattern.test(file.name) && !(pattern.test('flaky') && tried > 1))?.[1]
    const portions = (n) => [...new Set([0, 0.3, 0.7, 1].map((part) => Math.round(n * part)))]
    const queue = reason
      ? [set('extract', 0, pages.length), () => this.#fail(file, reason, journal)]
      : [
          ...portions(pages.length).map((n) => set('extract', n, pages.length)),
          () => {
            fill(file, pages)
            set('index')()
          },
          ...portions(pages.length * 2).map((n) => set('embed', n, pages.length * 2)),
          () => {
            Object.assign(file, { state: 'success', stage: 'done', done: undefined, total: undefined, summary: pages[0].replace(/[#*|]/g, '').slice(0, 90).trim(), updated_at: new Date().toISOString(), revision: file.revision + 1 })
            journal.append({ type: 'progress', step: 'embed', state: 'done' })
          },
        ]
    const step = () => {
      const next = queue.shift()
      if (next) next()
      else journal.append({ type: 'turn.closed' })
      if (next) setTimeout(step, this.pace)
    }
    setTimeout(step, this.pace)
  }

  #fail(file, reason, journal) {
    Object.assign(file, { state: 'failed', reason, done: undefined, total: undefined, revision: file.revision + 1 })
    journal.append({ type: 'progress', step: file.stage, state: 'failed', detail: reason })
  }

  /** The journal of the newest reading; null when there is none. */
  journal(file) {
    return this.#journals.get(file.file_id) ?? null
  }
}

/** Form feeds divide the pages of a text; of anything else there is nothing to read here but its name. */
function pagesOf(file, content) {
  const text = content && !content.includes(0) ? content.toString('utf8') : ''
  return text.trim() === '' || text.length > 200_000 ? [`# ${file.name}\n\nWhat ${file.name} says, as far as this server pretends to read it.`] : text.split('\f')
}
