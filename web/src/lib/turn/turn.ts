import type { Citation } from '../api/types'
import type { KnownEvent, TurnEvent } from './event'
import { over, type Item, type Mark, type ReasoningItem, type TextItem, type ToolItem, type TurnView } from './view'

/**
 * Takes one event into the view of a turn. Pure: the same journal gives the same view, however often it was cut,
 * replayed or resumed. An event that was seen already changes nothing; so does a type that is not known.
 */
export function reduce(view: TurnView, event: TurnEvent): TurnView {
  if (event.seq <= view.lastSeq) return view
  return { ...view, ...change(view, event as KnownEvent), lastSeq: event.seq }
}

function change(view: TurnView, event: KnownEvent): Partial<TurnView> {
  const { items } = view
  switch (event.type) {
    case 'turn.started':
      return { state: over(view) ? view.state : 'running', startedAt: event.at }
    case 'status':
      return { status: event.text || null }
    case 'agent.changed':
      return { items: [...items, { kind: 'agent', seq: event.seq, name: event.name, previous: event.previous }] }
    case 'reasoning.started':
      return { items: [...endReasoning(items, event.at), newReasoning(event)], status: null }
    case 'reasoning.delta':
      return { items: extendReasoning(items, event) }
    case 'reasoning.ended':
      return { items: endReasoning(items, event.at) }
    case 'text.delta':
      return event.delta === '' ? {} : { items: extendText(endReasoning(items, event.at), event), status: null }
    case 'step.finished':
      return { items: settle(endReasoning(items, event.at)), model: event.model || view.model }
    case 'tool.called':
      return { items: [...endReasoning(items, event.at), newTool(event)] }
    case 'tool.finished':
      return { items: finishTool(items, event), status: null, citations: joinSources(view.citations, event.sources) }
    case 'approval.asked':
      return { items: onTool(items, event.call_id, (tool) => ({ ...tool, approval: { why: event.why, given: null } })) }
    case 'approval.given':
      return { items: onTool(items, event.call_id, (tool) => ({ ...tool, approval: { why: tool.approval?.why ?? '', given: event.approve } })) }
    case 'step.retracted':
      return { items: retract(items, event.from_seq), status: null, finalText: null }
    case 'text.finished':
      return { items: verify(endReasoning(items, event.at), event), finalText: event.text, citations: event.citations ?? [], status: null }
    case 'turn.finished':
      return { ...end(items, event.at), state: 'finished', usage: event.usage }
    case 'turn.failed':
      return { ...end(items, event.at), state: 'failed', error: { code: event.code, message: event.message } }
    case 'turn.cancelled':
      return { ...end(items, event.at), state: 'cancelled' }
    case 'metadata':
      return { title: event.title || view.title }
    case 'suggestions':
      return { followUps: event.follow_ups ?? [], newChat: event.new_chat ?? [] }
    case 'turn.closed':
      return { ...end(items, event.at), closed: true }
    default:
      return {}
  }
}

type EventOf<Type extends KnownEvent['type']> = Extract<KnownEvent, { type: Type }>

function newReasoning({ seq, at }: { seq: number; at: string }): ReasoningItem {
  return { kind: 'reasoning', seq, text: '', marks: [], startedAt: at, endedAt: null }
}

function extendReasoning(items: Item[], event: EventOf<'reasoning.delta'>): Item[] {
  const last = items.at(-1)
  const open = last?.kind === 'reasoning' && last.endedAt === null ? last : null
  const before = open ? items.slice(0, -1) : items
  return [...before, extended(open ?? newReasoning(event), event)]
}

function extendText(items: Item[], event: EventOf<'text.delta'>): Item[] {
  const last = items.at(-1)
  if (last?.kind === 'text') return [...items.slice(0, -1), extended(last, event)]
  return [...items, extended<TextItem>({ kind: 'text', seq: event.seq, text: '', marks: [] }, event)]
}

function extended<T extends { text: string; marks: Mark[] }>(item: T, { seq, delta }: { seq: number; delta: string }): T {
  return { ...item, text: item.text + delta, marks: [...item.marks, { seq, at: item.text.length }] }
}

function endReasoning(items: Item[], at: string): Item[] {
  const last = items.at(-1)
  if (last?.kind !== 'reasoning' || last.endedAt !== null) return items
  // A thought that never said anything leaves nothing to unfold.
  if (last.text.trim() === '') return items.slice(0, -1)
  return [...items.slice(0, -1), { ...last, endedAt: at }]
}

/** A finished step cannot be retracted any more, so its marks go: they would grow with every delta. */
function settle(items: Item[]): Item[] {
  return items.map((item) => ('marks' in item && item.marks.length > 0 ? { ...item, marks: [] } : item))
}

function newTool(event: EventOf<'tool.called'>): ToolItem {
  return {
    kind: 'tool',
    seq: event.seq,
    callId: event.call_id,
    name: event.name,
    label: event.label || null,
    arguments: event.arguments ?? null,
    startedAt: event.at,
    state: 'running',
    result: null,
    error: null,
    display: null,
    elapsedMs: null,
    approval: null,
  }
}

function onTool(items: Item[], callId: string, change: (tool: ToolItem) => ToolItem): Item[] {
  return items.map((item) => (item.kind === 'tool' && item.callId === callId ? change(item) : item))
}

function finishTool(items: Item[], event: EventOf<'tool.finished'>): Item[] {
  const error = errorText(event.error)
  return onTool(items, event.call_id, (tool) => ({
    ...tool,
    state: error === null ? 'done' : 'failed',
    result: event.result ?? null,
    error,
    // A server may only say whether the result is worth showing: then there are no words for it.
    display: typeof event.display === 'string' && event.display !== '' ? event.display : null,
    elapsedMs: event.elapsed_ms ?? null,
  }))
}

function errorText(error: unknown): string | null {
  if (error === null || error === undefined || error === '') return null
  if (typeof error === 'string') return error
  const { message } = error as { message?: unknown }
  return typeof message === 'string' ? message : JSON.stringify(error)
}

/** Sources that tools found let [1] be opened while the answer still streams; text.finished has the last word. */
function joinSources(known: Citation[], found: Citation[] | null | undefined): Citation[] {
  if (!found || found.length === 0) return known
  const numbers = new Set(found.map((source) => source.n))
  return [...known.filter((source) => !numbers.has(source.n)), ...found].sort((a, b) => a.n - b.n)
}

/** Takes back what was said from event `from` on. What a tool has done stays done, and stays shown. */
function retract(items: Item[], from: number): Item[] {
  const kept: Item[] = []
  for (const item of items) {
    if (item.kind === 'tool' && item.state !== 'running') kept.push(item)
    else if (item.kind === 'text' || item.kind === 'reasoning') {
      const cut = item.marks.find((mark) => mark.seq >= from)
      if (cut && cut.at > 0) kept.push({ ...item, text: item.text.slice(0, cut.at), marks: item.marks.filter((mark) => mark.seq < from) })
      else if (!cut && item.seq < from) kept.push(item)
    } else if (item.seq < from) kept.push(item)
  }
  return kept
}

/**
 * Puts the verified text in the place of what was streamed. What was said before a tool was called stays where it
 * was said, as far as the verified text begins with it.
 */
function verify(items: Item[], event: EventOf<'text.finished'>): Item[] {
  let rest = event.text.trim()
  const lastText = items.findLastIndex((item) => item.kind === 'text')
  const verified: Item[] = []
  items.forEach((item, index) => {
    if (item.kind !== 'text') return void verified.push(item)
    if (index === lastText) {
      if (rest !== '') verified.push({ ...item, text: rest, marks: [] })
      return
    }
    const said = item.text.trim()
    if (said !== '' && rest.startsWith(said)) {
      verified.push({ ...item, marks: [] })
      rest = rest.slice(said.length).trim()
    }
  })
  if (lastText === -1 && rest !== '') verified.push({ kind: 'text', seq: event.seq, text: rest, marks: [] })
  return verified
}

/** When a turn is over, nothing in it still runs. */
function end(items: Item[], at: string): Pick<TurnView, 'items' | 'status'> {
  const ended = settle(endReasoning(items, at)).map((item) =>
    item.kind === 'tool' && item.state === 'running' ? { ...item, state: 'unknown' as const } : item,
  )
  return { items: ended, status: null }
}
