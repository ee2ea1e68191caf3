import { explain } from '../lib/api/problem'

interface Page<T> {
  items: T[]
  next: string | null
}

/** A list that comes from the server in pages, each record once. */
export class Pages<T> {
  all = $state.raw<T[]>([])
  cursor = $state<string | null>(null)
  loading = $state(false)
  loaded = $state(false)
  error = $state<string | null>(null)
  /** Counts the fresh starts, so that a page that was asked for before one is not taken in after it. */
  #generation = 0
  /** Counts what was put and dropped here: an answer that was asked for before is not the truth any more. */
  protected changes = 0

  constructor(
    readonly read: (cursor: string | null) => Promise<Page<T>>,
    readonly id: (record: T) => string,
  ) {}

  async more(): Promise<void> {
    if (this.loading || (this.loaded && this.cursor === null)) return
    await this.#page(false)
  }

  /** The list from its beginning, what is shown staying until the new one is there. */
  refresh(): Promise<void> {
    return this.#page(true)
  }

  /** Forgets what was read: something else is asked for now. */
  reset(): Promise<void> {
    this.all = []
    this.loaded = false
    return this.#page(true)
  }

  find(id: string): T | undefined {
    return this.all.find((record) => this.id(record) === id)
  }

  /** Puts a record in the place of its older self, or at the top. */
  put(record: T): void {
    this.changes++
    const id = this.id(record)
    this.all = this.find(id) ? this.all.map((other) => (this.id(other) === id ? record : other)) : [record, ...this.all]
  }

  drop(id: string): void {
    this.changes++
    this.all = this.all.filter((record) => this.id(record) !== id)
  }

  async #page(fresh: boolean): Promise<void> {
    const generation = fresh ? ++this.#generation : this.#generation
    this.loading = true
    this.error = null
    try {
      const page = await this.read(fresh ? null : this.cursor)
      if (generation !== this.#generation) return
      const before = fresh ? [] : this.all
      const known = new Set(before.map(this.id))
      this.all = [...before, ...page.items.filter((record) => !known.has(this.id(record)))]
      this.cursor = page.next
      this.loaded = true
    } catch (error) {
      if (generation === this.#generation) this.error = explain(error)
    } finally {
      if (generation === this.#generation) this.loading = false
    }
  }
}
