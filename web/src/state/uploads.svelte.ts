import { explain, Problem } from '../lib/api/problem'
import { uploadFile } from '../lib/api/uploads'
import { Backlog } from '../lib/files/backlog'
import { systemFile } from '../lib/files/system'
import { count } from '../lib/format/words'
import { library } from './library.svelte'
import { shelf } from './shelf.svelte'
import { announcer } from './toast.svelte'

const atOnce = 3
/** How often a server that fails is asked again. A network that is gone is waited for, however long. */
const attempts = 4
/** Milliseconds. */
const longestWait = 15_000

export type UploadState = 'waiting' | 'sending' | 'away' | 'stored' | 'failed' | 'stopped'

/** A file on its way to the library. Its fields change on their own, so that of a list of hundreds one row is drawn again. */
export class Upload {
  state = $state<UploadState>('waiting')
  /** Bytes that have left. */
  sent = $state(0)
  /** Why it is not there. */
  why = $state('')
  fileId = $state<string | null>(null)
  duplicate = $state(false)
  abort = new AbortController()

  pending = $derived(this.state === 'waiting' || this.state === 'sending' || this.state === 'away')

  constructor(
    readonly id: number,
    readonly file: File,
    readonly chatId: string | null,
  ) {}

  get name(): string {
    return this.file.webkitRelativePath || this.file.name
  }

  get size(): number {
    return this.file.size
  }
}

class Uploads {
  all = $state.raw<Upload[]>([])
  #last = 0
  readonly #backlog = new Backlog<Upload>(atOnce, (upload) => this.#send(upload))

  busy = $derived(this.all.some((upload) => upload.pending))
  tally = $derived({
    total: this.all.length,
    ended: this.all.filter((upload) => !upload.pending).length,
    failed: this.all.filter(({ state }) => state === 'failed').length,
  })
  /** How far all of them are, 0 to 1. */
  part = $derived.by(() => {
    const weight = ({ size }: Upload) => size + 1_000
    const all = this.all.reduce((sum, upload) => sum + weight(upload), 0)
    const done = this.all.reduce((sum, upload) => sum + (upload.pending ? upload.sent : weight(upload)), 0)
    return all === 0 ? 1 : done / all
  })

  constructor() {
    // What is on its way would be lost with the page: the browser asks.
    addEventListener('beforeunload', (event) => this.busy && event.preventDefault())
  }

  add(files: Iterable<File>, chatId: string | null = null): Upload[] {
    const fresh = [...files].filter((file) => !systemFile(file.name)).map((file) => new Upload(++this.#last, file, chatId))
    // What is over is of an earlier time; what failed stays until somebody has decided about it.
    const before = this.busy ? this.all : this.all.filter(({ state }) => state === 'failed')
    this.all = [...before, ...fresh]
    this.#backlog.add(...fresh)
    return fresh
  }

  retry(...uploads: Upload[]): void {
    for (const upload of uploads) {
      Object.assign(upload, { state: 'waiting', sent: 0, why: '', abort: new AbortController() })
    }
    this.#backlog.add(...uploads)
  }

  retryFailed(): void {
    this.retry(...this.all.filter(({ state }) => state === 'failed'))
  }

  stop(...uploads: Upload[]): void {
    for (const upload of uploads) {
      if (!upload.pending) continue
      upload.state = 'stopped'
      upload.abort.abort()
    }
  }

  stopAll(): void {
    this.stop(...this.all)
  }

  /** Takes those that are over off the list. */
  clear(): void {
    this.all = this.all.filter((upload) => upload.pending)
  }

  forget(upload: Upload): void {
    this.stop(upload)
    this.all = this.all.filter((other) => other !== upload)
  }

  async #send(upload: Upload): Promise<void> {
    // It may have been stopped while it waited, or tried again and be on its way already.
    if (upload.state !== 'waiting') return
    let refusals = 0
    let furthest = 0
    for (let tries = 0; upload.pending; tries++) {
      upload.state = 'sending'
      try {
        return await this.#once(upload)
      } catch (error) {
        if (upload.abort.signal.aborted) return
        // As long as it gets on, it is not given up.
        if (upload.sent > furthest) {
          furthest = upload.sent
          tries = refusals = 0
        }
        if (!(error instanceof Problem && error.passing) || (error.status !== 0 && ++refusals >= attempts)) return this.#failed(upload, error)
        upload.state = 'away'
        upload.why = explain(error)
        await pause(Math.min(longestWait, 500 * 2 ** tries), upload.abort.signal)
      }
    }
  }

  async #once(upload: Upload): Promise<void> {
    const { signal } = upload.abort
    const { fileId, duplicate, file } = await uploadFile(upload.file, { chatId: upload.chatId, signal, progress: (sent) => signal.aborted || (upload.sent = sent) })
    const stored = file ?? (await shelf.read(fileId).catch(() => null))
    if (stored) shelf.put(stored)
    Object.assign(upload, { fileId, duplicate, why: '', sent: upload.size, state: 'stored' })
    library.arrived()
    // With many files only the whole is told; a list of hundreds of names helps nobody who listens.
    const { length } = this.all
    if (length >= 4) this.busy || announcer.say(`${count(this.all.filter(({ state }) => state === 'stored').length, 'file')} added`)
    else announcer.say(duplicate ? `${upload.name} is in the library already` : `${upload.name} was added`)
  }

  #failed(upload: Upload, error: unknown): void {
    upload.why = explain(error)
    upload.state = 'failed'
    announcer.say(`${upload.name}: ${upload.why}`)
  }
}

/** Waits, or less when the network comes back. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      removeEventListener('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    addEventListener('online', done)
    signal.addEventListener('abort', done)
  })
}

export const uploads = new Uploads()
