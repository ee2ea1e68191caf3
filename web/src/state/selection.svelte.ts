/** Which rows of a list are selected, by their ids. */
export class Selection {
  #ids = $state.raw<ReadonlySet<string>>(new Set())

  get size(): number {
    return this.#ids.size
  }

  get ids(): string[] {
    return [...this.#ids]
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  toggle(id: string): void {
    const next = new Set(this.#ids)
    if (!next.delete(id)) next.add(id)
    this.#ids = next
  }

  /** What is done to a selected row is done to all that are selected; what is done to another, to that one alone. */
  take(id: string): void {
    if (!this.has(id)) this.#ids = new Set([id])
  }

  clear(): void {
    this.#ids = new Set()
  }
}
