import type { LibraryFile } from '../lib/api/files'
import { searchable, stageWords } from '../lib/files/stage'
import { count } from '../lib/format/words'
import { shelf } from './shelf.svelte'
import { toasts } from './toast.svelte'
import { uploads, type Upload } from './uploads.svelte'

/** A question may be about so many files. */
export const mostFiles = 9

/** A file that the next question is about: one of the library, or one on its way there. */
export class Asked {
  constructor(
    readonly name: string,
    private readonly id: string | null,
    readonly upload: Upload | null = null,
  ) {}

  get fileId(): string | null {
    return this.id ?? this.upload?.fileId ?? null
  }

  get file(): LibraryFile | undefined {
    return this.fileId === null ? undefined : shelf.get(this.fileId)
  }

  get failed(): string | null {
    if (this.upload && (this.upload.state === 'failed' || this.upload.state === 'stopped')) return this.upload.why || 'It was not uploaded.'
    return this.file?.state === 'failed' ? stageWords(this.file) : null
  }

  /** True when a question about it can be answered. A file that the page has not seen yet was ready when it was chosen. */
  get ready(): boolean {
    return this.fileId !== null && this.failed === null && (this.file === undefined || searchable(this.file))
  }
}

/** What the questions of a chat are about. It stays from one question to the next, until it is taken away. */
export class About {
  all = $state.raw<Asked[]>([])
  ids = $derived(this.all.map((asked) => asked.fileId).filter((id) => id !== null))
  ready = $derived(this.all.every((asked) => asked.ready))

  add(files: LibraryFile[]): void {
    shelf.put(...files)
    this.#take(files.filter((file) => !this.ids.includes(file.file_id)).map((file) => new Asked(file.name, file.file_id)))
  }

  /** Uploads files to the chat. */
  attach(files: File[], chatId: string | null): void {
    const room = mostFiles - this.all.length
    if (files.length > room) toasts.show(`A question can be about ${count(mostFiles, 'file')} at most. Add the others to the library.`)
    this.#take(uploads.add(files.slice(0, room), chatId).map((upload) => new Asked(upload.name, null, upload)))
  }

  remove(asked: Asked): void {
    if (asked.upload?.pending) uploads.forget(asked.upload)
    this.all = this.all.filter((other) => other !== asked)
  }

  clear(): void {
    for (const asked of this.all) this.remove(asked)
  }

  #take(more: Asked[]): void {
    const all = [...this.all, ...more]
    if (all.length > mostFiles) toasts.show(`A question can be about ${count(mostFiles, 'file')} at most; the first ${mostFiles} are kept.`)
    this.all = all.slice(0, mostFiles)
  }
}

const kept = new Map<string, About>()
let fresh = new About()

/** What the chat is about; null is the chat that has not begun. */
export function aboutOf(chatId: string | null): About {
  if (chatId === null) return fresh
  const about = kept.get(chatId) ?? new About()
  kept.set(chatId, about)
  return about
}

/** The chat that had not begun has an id now; the next one begins without files. */
export function begun(chatId: string, about: About): void {
  kept.set(chatId, about)
  if (about === fresh) fresh = new About()
}
