import { untrack } from 'svelte'
import { SvelteMap } from 'svelte/reactivity'
import * as api from '../lib/api/files'
import type { LibraryFile } from '../lib/api/files'
import { Problem } from '../lib/api/problem'
import { advance } from '../lib/files/stage'
import type { ProgressEvent } from '../lib/process'
import { follow } from '../lib/sse/follow'

/** A browser keeps six connections to a server, and uploads and a chat need some; more files than this are asked about all at once. */
const followed = 1
/** Milliseconds between two such questions. */
const beat = 2_500
/** Files that came to their end are read again one by one, and no more than these at a beat. */
const settledAtOnce = 20

/** Every file that the page knows, as it stands now; who looks at one that is being read is kept up to date. */
class Shelf {
  readonly known = new SvelteMap<string, LibraryFile>()
  /** Id → how many look at it. */
  readonly #watched = new Map<string, number>()
  readonly #jobs = new Map<string, AbortController>()
  #timer: ReturnType<typeof setInterval> | undefined
  #asking = false

  get(id: string): LibraryFile | undefined {
    return this.known.get(id)
  }

  /** What was asked for earlier and comes later changes nothing. */
  put(...files: LibraryFile[]): void {
    for (const file of files) {
      const old = this.known.get(file.file_id)
      if (!old || file.revision > old.revision || (file.revision === old.revision && JSON.stringify(file) !== JSON.stringify(old))) this.known.set(file.file_id, file)
    }
    this.#arrange()
  }

  drop(id: string): void {
    this.known.delete(id)
    this.#arrange()
  }

  /** Reads a file anew, or says why that is not possible. Null: it is not there. */
  async read(id: string, signal?: AbortSignal): Promise<LibraryFile | null> {
    try {
      const file = await api.getFile(id, signal)
      this.known.set(id, file)
      this.#arrange()
      return file
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404)) throw error
      this.drop(id)
      return null
    }
  }

  /** Keeps files up to date until the function that it gives is called. An effect that watches does not depend on how they stand. */
  watch(ids: string[]): () => void {
    for (const id of ids) this.#watched.set(id, (this.#watched.get(id) ?? 0) + 1)
    this.#arrange()
    return () => {
      for (const id of ids) {
        const left = (this.#watched.get(id) ?? 1) - 1
        if (left > 0) this.#watched.set(id, left)
        else this.#watched.delete(id)
      }
      this.#arrange()
    }
  }

  #busy(): string[] {
    return [...this.#watched.keys()].filter((id) => this.known.get(id)?.state === 'in_progress')
  }

  #arrange(): void {
    untrack(() => this.#arranged())
  }

  #arranged(): void {
    const busy = this.#busy()
    const few = busy.length <= followed
    for (const [id, abort] of this.#jobs) {
      if (few && busy.includes(id)) continue
      abort.abort()
      this.#jobs.delete(id)
    }
    if (few) for (const id of busy) if (!this.#jobs.has(id)) void this.#follow(id)
    if (few) {
      clearInterval(this.#timer)
      this.#timer = undefined
    } else this.#timer ??= setInterval(() => void this.#ask(), beat)
  }

  async #follow(id: string): Promise<void> {
    const abort = new AbortController()
    this.#jobs.set(id, abort)
    try {
      for await (const event of follow<ProgressEvent>((after) => api.jobPath(id, after), { after: 0, signal: abort.signal })) {
        const file = this.known.get(id)
        // An earlier attempt's failure stands in the same journal; the end of it tells what holds.
        if (file && event.state !== 'failed') this.known.set(id, advance(file, event))
      }
      if (!abort.signal.aborted) await this.read(id)
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      // Without a journal the file is asked about now and then.
      await new Promise((resolve) => setTimeout(resolve, beat))
      if (!abort.signal.aborted) await this.read(id).catch(() => null)
    } finally {
      if (this.#jobs.get(id) === abort) this.#jobs.delete(id)
    }
    // A job may have ended and its file not have said so yet.
    if (!abort.signal.aborted) setTimeout(() => this.#arrange(), 1_000)
  }

  async #ask(): Promise<void> {
    if (this.#asking || document.hidden) return
    this.#asking = true
    try {
      const now = new Map((await api.processing()).map((file) => [file.id, file]))
      const settled: string[] = []
      for (const id of this.#busy()) {
        const [file, news] = [this.known.get(id)!, now.get(id)]
        if (!news || news.embeddingsStatus !== 'in_progress') settled.push(id)
        else if (news.stage !== file.stage || news.done !== file.done || news.total !== file.total) {
          const { done: _, total: __, ...rest } = file
          const { stage = file.stage, done, total } = news
          this.known.set(id, { ...rest, stage, ...(done !== undefined && { done }), ...(total ? { total } : {}) })
        }
      }
      await Promise.all(settled.slice(0, settledAtOnce).map((id) => this.read(id).catch(() => null)))
    } catch (error) {
      // The next beat asks again; that the server is away is said elsewhere.
      if (!(error instanceof Problem)) throw error
    } finally {
      this.#asking = false
    }
  }
}

export const shelf = new Shelf()
