/** Work that waits its turn: so many at once, in the order in which it came. A failure of one is that one's own affair. */
export class Backlog<T> {
  #waiting: T[] = []
  #running = 0

  constructor(
    private readonly atOnce: number,
    private readonly work: (thing: T) => Promise<void>,
  ) {}

  add(...things: T[]): void {
    this.#waiting.push(...things)
    while (this.#running < this.atOnce && this.#waiting.length > 0) void this.#run(this.#waiting.shift()!)
  }

  async #run(thing: T): Promise<void> {
    this.#running++
    try {
      await this.work(thing)
    } finally {
      this.#running--
      this.add()
    }
  }
}
