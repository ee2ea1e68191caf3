import { explain } from '../lib/api/problem'

/** What a view asks the server for, again whenever something else is to be shown: only the last question counts. */
export class Loading {
  busy = $state(false)
  /** Why the last one was not answered, for a person. */
  error = $state<string | null>(null)

  /** Begins to ask. What it returns stops it, as an effect's own end has to. */
  run(ask: (signal: AbortSignal) => Promise<unknown>): () => void {
    const abort = new AbortController()
    const end = (error: string | null) => {
      if (!abort.signal.aborted) Object.assign(this, { error, busy: false })
    }
    this.busy = true
    ask(abort.signal).then(
      () => end(null),
      (reason: unknown) => end(explain(reason)),
    )
    return () => {
      abort.abort()
      this.busy = false
    }
  }
}
