import { Problem, problemFrom } from '../api/problem'
import { EventParser } from './parser'

/** What every event of a journal carries. */
export interface JournalEvent {
  seq: number
  type: string
}

export interface FollowOptions {
  /** The last sequence number that the caller has. */
  after: number
  signal: AbortSignal
  /** True when the connection was lost and is being made again, false when events arrive. */
  onRetrying?: (retrying: boolean) => void
  fetch?: typeof fetch
  /** Waits, or less when the network comes back. */
  wait?: (ms: number, signal: AbortSignal) => Promise<void>
  /** A connection that says nothing, not even a heartbeat, for so long is taken for dead. */
  silence?: number
}

const firstDelay = 400
const longestDelay = 8_000

/**
 * Follows a journal to its end, whether it is a turn's or that of another job; `path` is where it is read, from a number on. Every event comes once and in order: each connection asks for what comes
 * after the last one seen, what was seen already is dropped, and a gap counts as a lost connection.
 * Throws a Problem when the server refuses for good (no session, no such journal).
 */
export async function* follow<E extends JournalEvent>(path: (after: number) => string, options: FollowOptions): AsyncGenerator<E> {
  const { signal, onRetrying = () => {}, wait = pause } = options
  let seq = options.after
  let failures = 0
  while (!signal.aborted) {
    try {
      for await (const event of connect<E>(path(seq), options)) {
        if (event.seq <= seq) continue
        if (event.seq > seq + 1) break
        seq = event.seq
        if (failures > 0) onRetrying(false)
        failures = 0
        yield event
        if (event.type === 'turn.closed') return
      }
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Problem && !error.passing) throw error
    }
    failures++
    // A stream that was merely cut is taken up at once; a person need not read about that.
    if (failures > 1) onRetrying(true)
    await wait(failures === 1 ? 50 : Math.min(longestDelay, firstDelay * 2 ** (failures - 2)), signal)
  }
}

async function* connect<E extends JournalEvent>(url: string, options: FollowOptions): AsyncGenerator<E> {
  const silence = options.silence ?? 45_000
  const connection = new AbortController()
  const stop = () => connection.abort()
  options.signal.addEventListener('abort', stop)
  let timer = setTimeout(stop, silence)
  try {
    const response = await (options.fetch ?? fetch)(url, {
      headers: { Accept: 'text/event-stream' },
      credentials: 'same-origin',
      cache: 'no-store',
      signal: connection.signal,
    })
    if (!response.ok) throw problemFrom(response.status, await response.text().catch(() => ''))
    if (!response.body) return
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    const parser = new EventParser()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      clearTimeout(timer)
      timer = setTimeout(stop, silence)
      for (const { data } of parser.push(decoder.decode(value, { stream: true }))) {
        const event = JSON.parse(data) as E
        if (typeof event.seq === 'number' && typeof event.type === 'string') yield event
      }
    }
  } finally {
    clearTimeout(timer)
    options.signal.removeEventListener('abort', stop)
    connection.abort()
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      globalThis.removeEventListener?.('online', done)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    globalThis.addEventListener?.('online', done)
    signal.addEventListener('abort', done)
  })
}
