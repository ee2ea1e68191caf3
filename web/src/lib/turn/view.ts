import type { Citation } from '../api/types'
import type { Usage } from './event'

/** Where in a text or a train of thought the delta with number `seq` begins, for step.retracted. */
export interface Mark {
  seq: number
  at: number
}

export interface TextItem {
  kind: 'text'
  /** The number of the event that it began with; never changes, so it is the item's key. */
  seq: number
  text: string
  marks: Mark[]
}

export interface ReasoningItem {
  kind: 'reasoning'
  seq: number
  text: string
  marks: Mark[]
  startedAt: string
  /** Null while it goes on. */
  endedAt: string | null
}

export interface ToolItem {
  kind: 'tool'
  seq: number
  callId: string
  name: string
  /** Null: silent, shown in the trace only. */
  label: string | null
  arguments: unknown
  startedAt: string
  state: 'running' | 'done' | 'failed' | 'unknown'
  result: unknown
  error: string | null
  display: string | null
  elapsedMs: number | null
  /** Null when nobody was asked; `given` is null until the person decided. */
  approval: { why: string; given: boolean | null } | null
}

export interface AgentItem {
  kind: 'agent'
  seq: number
  name: string
  previous: string
}

export type Item = TextItem | ReasoningItem | ToolItem | AgentItem

/** All that the page shows of a turn; a reading of its journal up to lastSeq. */
export interface TurnView {
  turnId: string
  lastSeq: number
  state: 'queued' | 'running' | 'finished' | 'failed' | 'cancelled'
  closed: boolean
  startedAt: string | null
  items: Item[]
  status: string | null
  /** The verified text, once it is there; null before. */
  finalText: string | null
  citations: Citation[]
  usage: Usage | null
  model: string | null
  error: { code: string; message: string } | null
  title: string | null
  followUps: string[]
  newChat: string[]
}

export function emptyTurn(turnId: string): TurnView {
  return {
    turnId,
    lastSeq: 0,
    state: 'queued',
    closed: false,
    startedAt: null,
    items: [],
    status: null,
    finalText: null,
    citations: [],
    usage: null,
    model: null,
    error: null,
    title: null,
    followUps: [],
    newChat: [],
  }
}

/** True once exactly one of finished, failed, cancelled has come. */
export function over(view: TurnView): boolean {
  return view.state === 'finished' || view.state === 'failed' || view.state === 'cancelled'
}

/** The answer's text as it stands. */
export function textOf(view: TurnView): string {
  if (view.finalText !== null) return view.finalText
  return view.items
    .filter((item) => item.kind === 'text')
    .map((item) => item.text.trim())
    .filter((text) => text !== '')
    .join('\n\n')
}
