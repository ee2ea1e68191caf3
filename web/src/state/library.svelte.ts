import * as api from '../lib/api/files'
import type { FileFilter, LibraryFile } from '../lib/api/files'
import { attempt, succeeds } from './attempt'
import { Pages } from './pages.svelte'
import { shelf } from './shelf.svelte'

/** Files that arrive close together are looked at together; milliseconds. */
const gathering = 600

/** The files that the filter of the library lets through, newest first; how each stands now is on the shelf. */
class Library extends Pages<LibraryFile> {
  filter = $state.raw<FileFilter>({})
  total = $state(0)
  /** How many came in since the list was last read from its beginning. */
  #joined = 0
  #soon: ReturnType<typeof setTimeout> | undefined

  constructor() {
    super(
      async (cursor) => {
        const page = await api.listFiles(this.filter, cursor)
        this.total = page.total
        shelf.put(...(page.files ?? []))
        if (cursor === null) this.#joined = 0
        return { items: page.files ?? [], next: page.next_cursor || null }
      },
      (file) => file.file_id,
    )
  }

  show(filter: FileFilter): void {
    if (this.loaded && JSON.stringify(filter) === JSON.stringify(this.filter)) return void this.refreshShown()
    this.filter = filter
    void this.reset()
  }

  /** Something came in: it will be looked at in a moment, with what else comes. */
  arrived(): void {
    // A list that was asked for before it came in does not hold it.
    if (!this.loaded && !this.loading) return
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      if (this.loading) this.arrived()
      else void this.refreshShown()
    }, gathering)
  }

  /** What is new at the top, without losing one's place further down. */
  async refreshShown(): Promise<void> {
    const { filter, changes } = this
    const page = await api.listFiles(filter, null).catch(() => null)
    if (!page || filter !== this.filter) return
    if (changes !== this.changes) return this.arrived()
    const shown = page.files ?? []
    shelf.put(...shown)
    this.total = page.total
    const known = new Set(this.all.map(this.id))
    const fresh = shown.filter((file) => !known.has(file.file_id))
    if (fresh.length === 0) return
    this.#joined += fresh.length
    // More has come than one page holds, so that there would be a hole in the list; or so much that it is better read anew.
    if ((fresh.length === shown.length && this.all.length > 0) || this.#joined > 2 * shown.length + 20) return this.refresh()
    this.all = [...fresh, ...this.all].sort((a, b) => b.created_at.localeCompare(a.created_at))
  }

  async rename(file: LibraryFile, name: string): Promise<void> {
    this.#take(await attempt('Not renamed', () => api.renameFile(file, name)))
  }

  /** Tries again what failed. */
  async retry(id: string): Promise<void> {
    this.#take(await attempt('Not started', () => api.retryFile(id)))
  }

  async reprocess(id: string): Promise<void> {
    this.#take(await attempt('Not started', () => api.reprocessFile(id)))
  }

  /** Deletes them one by one, and says how many are gone. */
  async remove(ids: string[]): Promise<number> {
    let gone = 0
    for (const id of ids) {
      if (!(await succeeds('Not deleted', () => api.deleteFile(id)))) break
      this.drop(id)
      shelf.drop(id)
      this.total = Math.max(0, this.total - 1)
      gone++
    }
    return gone
  }

  #take(file: LibraryFile | null): void {
    if (!file) return
    shelf.put(file)
    if (this.find(file.file_id)) this.put(file)
  }
}

export const library = new Library()
