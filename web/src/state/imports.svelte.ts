import { importFile } from '../lib/api/conversations'
import { explain } from '../lib/api/problem'
import { count } from '../lib/format/words'
import { recordings } from './recordings.svelte'
import { session } from './session.svelte'
import { announcer } from './toast.svelte'

export interface ImportJob {
  id: number
  name: string
  state: 'waiting' | 'sending' | 'reading' | 'done' | 'known' | 'failed'
  /** The part that was sent, 0 to 1. */
  part: number
  note: string
  conversationId: string | null
}

const atOnce = 2

class Imports {
  jobs = $state.raw<ImportJob[]>([])
  #files = new Map<number, File>()
  #last = 0
  #running = 0

  busy = $derived(this.jobs.some((job) => job.state === 'waiting' || job.state === 'sending' || job.state === 'reading'))

  add(files: Iterable<File>): void {
    for (const file of files) {
      const id = ++this.#last
      this.#files.set(id, file)
      this.jobs = [...this.jobs, { id, name: file.name, state: 'waiting', part: 0, note: '', conversationId: null }]
    }
    this.#next()
  }

  retry(id: number): void {
    this.#change(id, { state: 'waiting', part: 0, note: '' })
    this.#next()
  }

  clear(): void {
    this.jobs = this.jobs.filter((job) => job.state === 'waiting' || job.state === 'sending' || job.state === 'reading')
  }

  #next(): void {
    while (this.#running < atOnce) {
      const job = this.jobs.find((candidate) => candidate.state === 'waiting')
      if (!job) return
      this.#running++
      this.#change(job.id, { state: 'sending' })
      void this.#run(job.id).finally(() => {
        this.#running--
        this.#next()
      })
    }
  }

  async #run(id: number): Promise<void> {
    const file = this.#files.get(id)!
    try {
      const progress = (part: number) => this.#change(id, { part, state: part < 1 ? 'sending' : 'reading' })
      const { conversations, duplicate } = await importFile(file, progress, new AbortController().signal)
      const segments = conversations.reduce((sum, conversation) => sum + conversation.segments, 0)
      const note = duplicate ? 'Already imported' : `${count(conversations.length, 'recording')}, ${count(segments, 'line')}`
      this.#change(id, { state: duplicate ? 'known' : 'done', part: 1, note, conversationId: conversations[0]?.conversation_id ?? null })
      this.#files.delete(id)
      announcer.say(`${file.name}: ${note}`)
      await Promise.all([recordings.refresh(), session.refreshStatus()])
    } catch (error) {
      this.#change(id, { state: 'failed', note: explain(error) })
      announcer.say(`${file.name}: ${explain(error)}`)
    }
  }

  #change(id: number, change: Partial<ImportJob>): void {
    this.jobs = this.jobs.map((job) => (job.id === id ? { ...job, ...change } : job))
  }
}

export const imports = new Imports()
