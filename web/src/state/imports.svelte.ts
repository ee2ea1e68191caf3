import { importFile } from '../lib/api/imports'
import { explain } from '../lib/api/problem'
import { systemFile } from '../lib/files/system'
import { count } from '../lib/format/words'
import { conversations } from './conversations.svelte'
import { session } from './session.svelte'
import { announcer } from './toast.svelte'

export interface ImportJob {
  id: number
  name: string
  /** Bytes. */
  size: number
  state: 'waiting' | 'sending' | 'reading' | 'done' | 'known' | 'failed' | 'stopped'
  /** The part that was sent, 0 to 1. */
  part: number
  note: string
  conversationId: string | null
}

const atOnce = 2

export const pending = ({ state }: ImportJob) => state === 'waiting' || state === 'sending' || state === 'reading'

class Imports {
  jobs = $state.raw<ImportJob[]>([])
  #files = new Map<number, File>()
  #aborts = new Map<number, AbortController>()
  #last = 0
  #running = 0

  busy = $derived(this.jobs.some(pending))
  tally = $derived({
    total: this.jobs.length,
    ended: this.jobs.filter((job) => !pending(job)).length,
    failed: this.jobs.filter((job) => job.state === 'failed').length,
  })
  /** How far all of them are, 0 to 1. Reading takes its time too, so what was only sent counts for nine tenths. */
  part = $derived.by(() => {
    const weight = ({ size }: ImportJob) => size + 1_000
    const all = this.jobs.reduce((sum, job) => sum + weight(job), 0)
    const done = this.jobs.reduce((sum, job) => sum + weight(job) * (pending(job) ? job.part * 0.9 : 1), 0)
    return all === 0 ? 1 : done / all
  })

  add(files: Iterable<File>): void {
    const jobs: ImportJob[] = []
    for (const file of files) {
      if (systemFile(file.name)) continue
      const id = ++this.#last
      this.#files.set(id, file)
      jobs.push({ id, name: file.webkitRelativePath || file.name, size: file.size, state: 'waiting', part: 0, note: '', conversationId: null })
    }
    this.jobs = [...this.jobs, ...jobs]
    this.#next()
  }

  retry(id: number): void {
    this.#change(id, { state: 'waiting', part: 0, note: '' })
    this.#next()
  }

  retryFailed(): void {
    this.jobs = this.jobs.map((job) => (job.state === 'failed' ? { ...job, state: 'waiting', part: 0, note: '' } : job))
    this.#next()
  }

  stop(id: number): void {
    this.jobs = this.jobs.map((job) => (job.id === id && pending(job) ? { ...job, state: 'stopped' } : job))
    this.#aborts.get(id)?.abort()
  }

  stopAll(): void {
    for (const { id } of this.jobs) this.stop(id)
  }

  clear(): void {
    this.jobs = this.jobs.filter(pending)
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
        if (!this.busy) void Promise.all([conversations.refresh(), session.refreshStatus()])
      })
    }
  }

  async #run(id: number): Promise<void> {
    const file = this.#files.get(id)!
    const abort = new AbortController()
    this.#aborts.set(id, abort)
    try {
      const progress = (part: number) => abort.signal.aborted || this.#change(id, { part, state: part < 1 ? 'sending' : 'reading' })
      const { conversations: found, duplicate } = await importFile(file, progress, abort.signal)
      const made = found ?? []
      const segments = made.reduce((sum, conversation) => sum + conversation.segments, 0)
      const note = duplicate ? 'Already imported' : `${count(made.length, 'conversation')}, ${count(segments, 'line')}`
      this.#change(id, { state: duplicate ? 'known' : 'done', part: 1, note, conversationId: made[0]?.conversation_id ?? null })
      this.#files.delete(id)
      // With many files only the whole is told; a list of hundreds of names helps nobody who listens.
      if (this.jobs.length < 4) announcer.say(`${file.name}: ${note}`)
    } catch (error) {
      if (abort.signal.aborted) return
      this.#change(id, { state: 'failed', note: explain(error) })
      announcer.say(`${file.name}: ${explain(error)}`)
    } finally {
      this.#aborts.delete(id)
    }
  }

  #change(id: number, change: Partial<ImportJob>): void {
    this.jobs = this.jobs.map((job) => (job.id === id ? { ...job, ...change } : job))
  }
}

export const imports = new Imports()
