import type { Citation } from '../api/types'

/** What every event of a turn's journal carries; seq counts from 1 without gaps. */
interface Base {
  seq: number
  turn_id: string
  at: string
  agent: string
}

export interface Usage {
  input_tokens: number
  cached_input_tokens: number
  output_tokens: number
  total_tokens: number
}

type Of<Type extends string, Fields = unknown> = Base & { type: Type } & Fields

export type KnownEvent =
  | Of<'turn.started', { chat_id: string; message_id: string; route: string }>
  | Of<'status', { text: string }>
  | Of<'agent.changed', { name: string; previous: string }>
  | Of<'reasoning.started'>
  | Of<'reasoning.delta', { delta: string }>
  | Of<'reasoning.ended'>
  | Of<'text.delta', { delta: string }>
  | Of<'step.finished', { step: number; model: string; usage: Usage | null }>
  | Of<'tool.called', { call_id: string; name: string; label: string | null; arguments: unknown }>
  | Of<
      'tool.finished',
      { call_id: string; result?: unknown; error?: unknown; display?: boolean | string | null; elapsed_ms: number; sources?: Citation[] | null }
    >
  | Of<'approval.asked', { call_id: string; why: string }>
  | Of<'approval.given', { call_id: string; approve: boolean }>
  | Of<'step.retracted', { from_seq: number }>
  | Of<'text.finished', { text: string; citations: Citation[] | null }>
  | Of<'turn.finished', { message_id: string; usage: Usage | null; stop_reason: string }>
  | Of<'turn.failed', { code: string; message: string }>
  | Of<'turn.cancelled', { by: string }>
  | Of<'metadata', { title?: string }>
  | Of<'suggestions', { follow_ups?: string[] | null; new_chat?: string[] | null }>
  | Of<'turn.closed'>

/** An event as it arrives. A type that this page does not know is ignored. */
export type TurnEvent = KnownEvent | Of<'unknown'>
