import { getChunks, getMarks, getPage, pictureOf, type FilePage, type LibraryFile, type Mark } from '../lib/api/files'
import { explain } from '../lib/api/problem'
import { kindOf } from '../lib/files/kind'
import { spanOfBytes, spanOfQuote, type Span } from '../lib/files/offset'
import { shelf } from './shelf.svelte'

/** Where in a file one reads, and the passage there that is meant. */
export interface Place {
  fileId: string
  page: number
  chunkId: string | null
  /** The words of the passage, by which it is found when the file was read anew since. */
  quote: string
}

/** One open page of a file, with the passage that is meant marked in it. */
export class Reader {
  page = $state.raw<FilePage | null>(null)
  span = $state.raw<Span | null>(null)
  marks = $state.raw<Mark[]>([])
  error = $state<string | null>(null)
  loading = $state(false)
  /** The passage was meant, and is not there any more. */
  lost = $state(false)
  #abort = new AbortController()

  /** The file as it stands; what is asked for of one that is gone is an error. */
  async open(fileId: string): Promise<LibraryFile | null> {
    try {
      const file = await shelf.read(fileId)
      if (!file) this.error = 'This file is not there any more.'
      return file
    } catch (error) {
      this.error = explain(error)
      return null
    }
  }

  async show({ fileId, page, chunkId, quote }: Place): Promise<void> {
    this.#abort.abort()
    const { signal } = (this.#abort = new AbortController())
    this.loading = true
    this.error = null
    try {
      const [found, chunks] = await Promise.all([getPage(fileId, page, signal), chunkId ? getChunks(fileId, page, signal) : []])
      if (signal.aborted) return
      const text = found?.text ?? ''
      const chunk = chunks.find(({ chunk_id }) => chunk_id === chunkId)
      const span = chunk ? spanOfBytes(text, chunk.start, chunk.end) : quote ? spanOfQuote(text, quote) : null
      Object.assign(this, { page: found, span, marks: [], lost: (chunkId !== null || quote !== '') && span === null })
      if (!found) this.error = 'There is no such page in this file.'
      if (chunk && this.pictured(shelf.get(fileId))) void this.#mark(fileId, page, chunk.chunk_id, signal)
    } catch (error) {
      if (!signal.aborted) this.error = explain(error)
    } finally {
      if (!signal.aborted) this.loading = false
    }
  }

  dispose(): void {
    this.#abort.abort()
  }

  /** Only PDFs have pictures of their pages. */
  pictured(file: LibraryFile | undefined): boolean {
    return file !== undefined && kindOf(file.type) === 'pdf'
  }

  /** `width` in the page's own pixels; a dense screen gets more, within what the server draws. */
  picture(fileId: string, page: number, width: number): string {
    return pictureOf(fileId, page, Math.min(2_000, Math.ceil((width * Math.min(2, devicePixelRatio)) / 200) * 200))
  }

  async #mark(fileId: string, page: number, chunkId: string, signal: AbortSignal): Promise<void> {
    // A page can be read without its marks.
    const marks = await getMarks(fileId, page, chunkId, signal).catch(() => [])
    if (!signal.aborted) this.marks = marks
  }
}
