import { describe, expect, it } from 'vitest'
import type { Citation } from '../api/types'
import type { TurnEvent } from './event'
import { reduce } from './turn'
import { emptyTurn, over, textOf, type TurnView } from './view'

type Loose = { type: string; [field: string]: unknown }

/** Numbers the events from 1, a second apart. */
function journal(...events: Loose[]): TurnEvent[] {
  return events.map((event, i) => ({
    seq: i + 1,
    turn_id: 't1',
    at: new Date(Date.UTC(2025, 0, 1, 0, 0, i + 1)).toISOString(),
    agent: 'main',
    ...event,
  })) as TurnEvent[]
}

const view = (...events: Loose[]): TurnView => journal(...events).reduce(reduce, emptyTurn('t1'))
const text = (delta: string): Loose => ({ type: 'text.delta', delta })
const think = (delta: string): Loose => ({ type: 'reasoning.delta', delta })
const call = (call_id: string, label: string | null = 'Searching'): Loose => ({ type: 'tool.called', call_id, name: 'search', label, arguments: { q: 'x' } })
const done = (call_id: string, more: object = {}): Loose => ({ type: 'tool.finished', call_id, result: [1], display: '1 hit', elapsed_ms: 12, ...more })
const started: Loose = { type: 'turn.started', chat_id: 'c', message_id: 'm', route: 'agentic' }
const finished: Loose = { type: 'turn.finished', message_id: 'a', usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 2, total_tokens: 3 }, stop_reason: 'stop' }
const closed: Loose = { type: 'turn.closed' }
const step: Loose = { type: 'step.finished', step: 1, model: 'm-1', usage: null }
const cite = (n: number): Citation => ({ n, kind: 'conversation', conversation_id: 'v', segment_id: `s${n}`, title: 'T', speaker: 'Maya', at: null, quote: 'q' })
const kinds = (v: TurnView) => v.items.map((item) => (item.kind === 'text' || item.kind === 'reasoning' ? `${item.kind}:${item.text}` : item.kind))

describe('reduce', () => {
  it('goes from queued to running to finished and closed', () => {
    expect(emptyTurn('t1').state).toBe('queued')
    expect(view(started)).toMatchObject({ state: 'running', closed: false, lastSeq: 1 })
    expect(view(started, finished)).toMatchObject({ state: 'finished', usage: { total_tokens: 3 } })
    expect(view(started, finished, closed).closed).toBe(true)
  })

  it('joins deltas into one text and one train of thought', () => {
    const v = view(started, { type: 'reasoning.started' }, think('Let '), think('me see.'), { type: 'reasoning.ended' }, text('It '), text('is.'))
    expect(kinds(v)).toEqual(['reasoning:Let me see.', 'text:It is.'])
    expect(v.items[0]).toMatchObject({ startedAt: '2025-01-01T00:00:02.000Z', endedAt: '2025-01-01T00:00:05.000Z' })
  })

  it('ends a thought when the answer begins, even if nobody said so', () => {
    const v = view(think('Hm'), text('Yes'))
    expect(v.items[0]).toMatchObject({ kind: 'reasoning', endedAt: '2025-01-01T00:00:02.000Z' })
  })

  it('drops a thought without words', () => {
    expect(kinds(view({ type: 'reasoning.started' }, { type: 'reasoning.ended' }, text('a')))).toEqual(['text:a'])
  })

  it('keeps items in the order in which they happened', () => {
    const v = view(think('a'), text('b'), call('1'), done('1'), think('c'), call('2'), text('d'))
    expect(kinds(v)).toEqual(['reasoning:a', 'text:b', 'tool', 'reasoning:c', 'tool', 'text:d'])
    expect(textOf(v)).toBe('b\n\nd')
  })

  it('follows tools that run at the same time', () => {
    const v = view(call('1'), call('2', null), done('2', { elapsed_ms: 5 }), done('1', { error: { code: 'x', message: 'Timed out' }, result: undefined }))
    expect(v.items).toMatchObject([
      { callId: '1', state: 'failed', error: 'Timed out', label: 'Searching', arguments: { q: 'x' } },
      { callId: '2', state: 'done', label: null, result: [1], display: '1 hit', elapsedMs: 5 },
    ])
  })

  it('reads an error given as text, and any other shape as JSON', () => {
    expect(view(call('1'), done('1', { error: 'no' })).items[0]).toMatchObject({ error: 'no' })
    expect(view(call('1'), done('1', { error: { why: 1 } })).items[0]).toMatchObject({ error: '{"why":1}' })
  })

  it('shows words for a result, not that there are some', () => {
    expect(view(call('1'), done('1', { display: true })).items[0]).toMatchObject({ state: 'done', display: null })
  })

  it('ignores the end of a call it never saw', () => {
    expect(view(done('9')).items).toEqual([])
  })

  it('asks for approval and takes the answer', () => {
    const asked = [call('1'), { type: 'approval.asked', call_id: '1', why: 'It sends mail.' }]
    expect(view(...asked).items[0]).toMatchObject({ approval: { why: 'It sends mail.', given: null } })
    expect(view(...asked, { type: 'approval.given', call_id: '1', approve: false }).items[0]).toMatchObject({ approval: { given: false } })
  })

  it('shows the latest status until something is said', () => {
    expect(view({ type: 'status', text: 'Searching' }).status).toBe('Searching')
    expect(view({ type: 'status', text: 'Searching' }, text('a')).status).toBeNull()
    expect(view({ type: 'status', text: 'Searching' }, closed).status).toBeNull()
  })

  it('shows a hand-off', () => {
    expect(view({ type: 'agent.changed', name: 'Travel', previous: 'Confidant' }).items).toEqual([{ kind: 'agent', seq: 1, name: 'Travel', previous: 'Confidant' }])
  })

  it('collects the sources of tools, and lets the verified ones replace them', () => {
    const v = view(call('1'), done('1', { sources: [cite(2), cite(1)] }))
    expect(v.citations.map((c) => c.n)).toEqual([1, 2])
    expect(reduce(v, journal({ type: 'x', seq: 9 })[0]!).citations).toHaveLength(2)
    expect(view(call('1'), done('1', { sources: [cite(1), cite(2)] }), { type: 'text.finished', text: 'a [2]', citations: [cite(2)] }).citations.map((c) => c.n)).toEqual([2])
  })

  it('takes title and suggestions, also after the end', () => {
    const v = view(started, finished, { type: 'metadata', title: 'Boats' }, { type: 'suggestions', follow_ups: ['Why?'], new_chat: ['Hi'] }, closed)
    expect(v).toMatchObject({ state: 'finished', title: 'Boats', followUps: ['Why?'], newChat: ['Hi'] })
    expect(view({ type: 'suggestions', follow_ups: null }).followUps).toEqual([])
  })

  it('keeps the reason of a failure', () => {
    expect(view(started, { type: 'turn.failed', code: 'provider', message: 'The model is away.' })).toMatchObject({ state: 'failed', error: { code: 'provider', message: 'The model is away.' } })
  })

  it('leaves nothing running when it is cancelled', () => {
    const v = view(started, { type: 'reasoning.started' }, think('a'), call('1'), { type: 'turn.cancelled', by: 'user' })
    expect(v.state).toBe('cancelled')
    expect(v.items).toMatchObject([{ endedAt: expect.any(String) }, { state: 'unknown' }])
    expect(over(v)).toBe(true)
  })

  it('does not start again once it is over', () => {
    expect(view(started, finished, started).state).toBe('finished')
  })

  it('ignores what it does not know, and keeps the number', () => {
    const before = view(started)
    const after = reduce(before, journal({ type: 'embed.created', seq: 2 })[0]!)
    expect(after).toEqual({ ...before, lastSeq: 2 })
  })
})

describe('text.finished', () => {
  const final = (value: string): Loose => ({ type: 'text.finished', text: value, citations: [] })

  it('replaces what was streamed', () => {
    const v = view(text('Wrong [9]'), final('Right'))
    expect(kinds(v)).toEqual(['text:Right'])
    expect(textOf(v)).toBe('Right')
  })

  it('keeps what was said before a tool where it was said', () => {
    expect(kinds(view(text('Let me look.'), call('1'), done('1'), text('Found x'), final('Let me look.\n\nFound y')))).toEqual(['text:Let me look.', 'tool', 'text:Found y'])
  })

  it('drops what the verified text does not say', () => {
    expect(kinds(view(text('Let me look.'), call('1'), done('1'), text('Found x'), final('Found y')))).toEqual(['tool', 'text:Found y'])
  })

  it('shows a text that was never streamed', () => {
    expect(kinds(view(call('1'), done('1'), final('All at once')))).toEqual(['tool', 'text:All at once'])
  })

  it('shows nothing for an empty text', () => {
    expect(kinds(view(text('x'), final('')))).toEqual([])
  })
})

describe('step.retracted', () => {
  const retracted = (from_seq: number): Loose => ({ type: 'step.retracted', from_seq })

  it('removes the text, thoughts and unfinished calls of the step', () => {
    const v = view(started, think('a'), text('b'), call('1'), retracted(2))
    expect(v.items).toEqual([])
  })

  it('keeps what the earlier step said, to the letter', () => {
    const v = view(started, text('kept '), step, text('void'), text(' void'), retracted(4), text('again'))
    expect(kinds(v)).toEqual(['text:kept again'])
  })

  it('cuts in the middle of an unsettled text', () => {
    expect(kinds(view(text('a'), text('b'), text('c'), retracted(2)))).toEqual(['text:a'])
    expect(kinds(view(think('a'), think('b'), retracted(2)))).toEqual(['reasoning:a'])
  })

  it('keeps tools that have run, since they did', () => {
    expect(kinds(view(text('a'), call('1'), done('1'), text('void'), retracted(1)))).toEqual(['tool'])
  })

  it('takes back a verified text as well', () => {
    const v = view(text('a'), { type: 'text.finished', text: 'a', citations: [] }, retracted(1), text('b'))
    expect(v.finalText).toBeNull()
    expect(textOf(v)).toBe('b')
  })
})

describe('resuming', () => {
  const whole = journal(
    started, { type: 'status', text: 'Searching' }, { type: 'reasoning.started' }, think('Hm. '), think('So.'), { type: 'reasoning.ended' },
    text('First '), text('this.'), call('1'), call('2', null), done('2'), done('1', { sources: [cite(1)] }), step,
    text('void'), { type: 'step.retracted', from_seq: 14 }, { type: 'agent.changed', name: 'B', previous: 'A' }, text('Then [1]'),
    { type: 'text.finished', text: 'First this.\n\nThen [1]', citations: [cite(1)] }, finished, { type: 'metadata', title: 'x' }, closed,
  )
  const full = whole.reduce(reduce, emptyTurn('t1'))

  it('gives the same view wherever it was cut, with repeats', () => {
    for (let cut = 0; cut <= whole.length; cut++) {
      const first = whole.slice(0, cut).reduce(reduce, emptyTurn('t1'))
      for (const back of [0, 1, 3, cut]) {
        expect(whole.slice(Math.max(0, cut - back)).reduce(reduce, first)).toEqual(full)
      }
    }
  })

  it('changes nothing that it was given', () => {
    const frozen = deepFreeze(whole.slice(0, 12).reduce(reduce, emptyTurn('t1')))
    expect(() => whole.slice(12).reduce((v, event) => deepFreeze(reduce(v, event)), frozen)).not.toThrow()
  })

  it('returns the very same view for an old event', () => {
    expect(reduce(full, whole[3]!)).toBe(full)
  })
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    Object.values(value).forEach(deepFreeze)
  }
  return value
}
