import { eventsPath } from '../lib/api/turns'
import { follow } from '../lib/sse/follow'
import type { TurnEvent } from '../lib/turn/event'
import { reduce } from '../lib/turn/turn'
import type { TurnView } from '../lib/turn/view'

/** Follows one turn and hands on its view, at most once a frame, however fast the events come. */
export class Follower {
  readonly #abort = new AbortController()

  constructor(
    readonly turnId: string,
    readonly onRetrying: (retrying: boolean) => void = () => {},
  ) {}

  stop(): void {
    this.#abort.abort()
  }

  async run(view: TurnView, show: (view: TurnView) => void): Promise<void> {
    let waiting: TurnEvent[] = []
    let scheduled = false
    const flush = () => {
      scheduled = false
      if (waiting.length === 0 || this.#abort.signal.aborted) return
      view = waiting.reduce(reduce, view)
      waiting = []
      show(view)
    }
    try {
      for await (const event of follow<TurnEvent>((after) => eventsPath(this.turnId, after), { after: view.lastSeq, signal: this.#abort.signal, onRetrying: this.onRetrying })) {
        waiting.push(event)
        if (scheduled) continue
        scheduled = true
        // Frames do not come in a hidden tab; timers do.
        if (document.hidden) setTimeout(flush, 200)
        else requestAnimationFrame(flush)
      }
    } finally {
      flush()
      this.onRetrying(false)
    }
  }
}
