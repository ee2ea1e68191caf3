import { describe, expect, it } from 'vitest'
import { Problem } from '../api/problem'
import { follow, type FollowOptions } from './follow'

const last = 9

/** The journal of a turn with events 1…last. */
function event(seq: number): string {
  const type = seq === last ? 'turn.closed' : 'text.delta'
  return `: ping\r\n\r\nid: ${seq}\r\nevent: ${type}\r\ndata: ${JSON.stringify({ seq, type, turn_id: 't', at: '', agent: '', delta: `é${seq}` })}\r\n\r\n`
}

type Plan = (after: number) => Response | Error

function stream(text: string, cut = false): Response {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  return new Response(
    new ReadableStream<Uint8Array>({
      // One byte at a time, to cut characters in two as well.
      pull(controller) {
        if (at < bytes.length) controller.enqueue(bytes.slice(at, ++at))
        else if (cut) controller.error(new TypeError('network error'))
        else controller.close()
      },
    }),
  )
}

const journal = (after: number) => `api/turns/t/events?after=${after}`
const range = (from: number, to: number) => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i)
const events = (from: number, to: number) => range(from, to).map(event).join('')

async function run(plans: Plan[], options: Partial<FollowOptions> = {}) {
  const asked: number[] = []
  const waits: number[] = []
  const retrying: boolean[] = []
  const seen: number[] = []
  const request = async (url: string) => {
    const after = Number(new URL(url, 'http://x').searchParams.get('after'))
    asked.push(after)
    const plan = plans[Math.min(asked.length, plans.length) - 1]!
    const answer = plan(after)
    if (answer instanceof Error) throw answer
    return answer
  }
  const generator = follow(journal, {
    after: 0,
    signal: new AbortController().signal,
    fetch: request as unknown as typeof fetch,
    wait: async (ms) => void waits.push(ms),
    onRetrying: (value) => retrying.push(value),
    ...options,
  })
  for await (const { seq } of generator) seen.push(seq)
  return { asked, waits, retrying, seen }
}

describe('follow', () => {
  it('yields every event once and ends at turn.closed', async () => {
    const { seen, asked, retrying } = await run([(after) => stream(events(after + 1, last))])
    expect(seen).toEqual(range(1, last))
    expect(asked).toEqual([0])
    expect(retrying).toEqual([])
  })

  it('starts after the number it is given', async () => {
    expect((await run([(after) => stream(events(after + 1, last))], { after: 6 })).seen).toEqual([7, 8, 9])
  })

  it.each([true, false])('goes on from the last seen when the stream is cut (error: %s)', async (cut) => {
    const { seen, asked } = await run([(after) => stream(after >= 8 ? events(9, 9) : events(after + 1, after + 2), cut)])
    expect(seen).toEqual(range(1, last))
    expect(asked).toEqual([0, 2, 4, 6, 8])
  })

  it('drops repeats and asks again for a gap', async () => {
    const { seen, asked } = await run([() => stream(events(1, 3) + events(2, 4) + events(6, 7)), (after) => stream(events(after - 1, last))])
    expect(seen).toEqual(range(1, last))
    expect(asked).toEqual([0, 4])
  })

  it('backs off while the server is away, says so, and says when it is back', async () => {
    const away: Plan = () => new TypeError('refused')
    const { seen, waits, retrying } = await run([away, () => new Response('', { status: 503 }), away, away, (after) => stream(events(after + 1, last))])
    expect(seen).toEqual(range(1, last))
    expect(waits).toEqual([50, 400, 800, 1600])
    expect(retrying).toEqual([true, true, true, false])
  })

  it('gives up when the server refuses for good', async () => {
    const refused = run([() => new Response('{"detail":"No such turn.","code":"not_found"}', { status: 404 })])
    await expect(refused).rejects.toEqual(new Problem(404, 'not_found', 'No such turn.'))
  })

  it('takes a silent connection for a dead one', async () => {
    const silent = () => new Response(new ReadableStream())
    let calls = 0
    const controller = new AbortController()
    const seen: number[] = []
    const request = (async (_: string, init: RequestInit) => {
      if (++calls > 1) return stream(events(1, last))
      const response = silent()
      const body = new ReadableStream<Uint8Array>({
        start: (c) => init.signal!.addEventListener('abort', () => c.error(new DOMException('aborted', 'AbortError'))),
      })
      return new Response(body, response)
    }) as unknown as typeof fetch
    for await (const { seq } of follow(journal, { after: 0, signal: controller.signal, fetch: request, silence: 20, wait: async () => {} })) seen.push(seq)
    expect(seen).toEqual(range(1, last))
    expect(calls).toBe(2)
  })

  it('ends quietly when it is told to stop', async () => {
    const controller = new AbortController()
    const seen: number[] = []
    const request = (async () => stream(events(1, last))) as unknown as typeof fetch
    for await (const { seq } of follow(journal, { after: 0, signal: controller.signal, fetch: request })) {
      seen.push(seq)
      if (seq === 3) controller.abort()
      if (seq === 3) break
    }
    expect(seen).toEqual([1, 2, 3])
  })
})
