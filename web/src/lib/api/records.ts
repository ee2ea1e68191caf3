/**
 * What is remembered, as the native API sends it: the JSON of internal/chat. Times are RFC 3339 text and may be
 * missing or in the year 1 when they are not known; `lib/format/date` reads both. Every record counts its changes in
 * `revision`, and a change that carries an older one is refused.
 */

export type Visibility = 'private' | 'shared' | 'public'

export type ConversationStatus = 'in_progress' | 'processing' | 'completed' | 'failed'

export interface ProposedEvent {
  title: string
  description?: string
  start: string
  /** Minutes. */
  duration: number
  created: boolean
}

export interface Mentions {
  people?: string[]
  topics?: string[]
  entities?: string[]
  /** Days, 2026-03-01. */
  dates?: string[]
}

export interface Conversation {
  conversation_id: string
  title: string
  overview?: string
  emoji?: string
  category?: string
  events?: ProposedEvent[]
  source: string
  language?: string
  status: ConversationStatus
  started_at: string | null
  finished_at: string | null
  created_at?: string
  speakers: string[] | null
  segment_count: number
  mentions?: Mentions
  location?: { latitude: number; longitude: number; address?: string }
  folder_id?: string
  visibility?: Visibility
  discarded?: boolean
  locked?: boolean
  starred?: boolean
  revision?: number
}

export interface Segment {
  segment_id: string
  position: number
  speaker: string
  is_user?: boolean
  person_id?: string
  text: string
  /** Seconds from started_at; null or negative when unknown. */
  start: number | null
  end: number | null
}

export type StepState = 'pending' | 'running' | 'done' | 'waiting' | 'failed' | 'skipped'

/** How far one step of the processing of a conversation is. */
export interface Step {
  name: string
  state: StepState
  attempts?: number
  detail?: string
  retry_at?: string
  at?: string
}

export interface Transcript extends Conversation {
  segments: Segment[]
  steps?: Step[] | null
  memories?: Fact[] | null
  tasks?: Task[] | null
  embedding?: { pending: number }
}

export type Review = '' | 'kept' | 'rejected'

export interface Fact {
  memory_id: string
  content: string
  category: 'interesting' | 'system' | 'manual'
  tags?: string[]
  conversation_id?: string
  segment_ids?: string[]
  created_at: string
  updated_at: string
  valid_from: string
  valid_to?: string
  superseded_by?: string
  manually_added: boolean
  edited: boolean
  pinned: boolean
  review?: Review
  visibility: Visibility
  locked: boolean
  revision: number
}

export interface FactHistory extends Fact {
  /** Those that it superseded, newest first. */
  history?: Fact[] | null
  successor?: Fact | null
}

export interface Task {
  task_id: string
  description: string
  completed: boolean
  conversation_id?: string
  segment_id?: string
  due_at?: string
  completed_at?: string
  created_at: string
  edited?: boolean
  revision: number
}

export interface Attendee {
  name: string
  email?: string
  person_id?: string
}

/** One occurrence of an event; `start` and `end` are the occurrence's own. */
export interface CalendarEvent {
  event_id: string
  uid?: string
  title: string
  description?: string
  location?: string
  start: string
  end: string
  /** Whole days in any zone: start and end are midnights in UTC. */
  all_day: boolean
  zone?: string
  recurrence?: string[] | null
  /** When this occurrence would have begun, when it was changed. */
  occurrence?: string
  recurring?: boolean
  attendees?: Attendee[] | null
  conversation_id?: string
  revision: number
}

export interface Person {
  person_id: string
  name: string
  aliases?: string[] | null
  email?: string
  notes?: string
  conversations?: number
  revision: number
}

export interface Folder {
  folder_id: string
  name: string
  description?: string
  revision: number
}

export interface TimelineDay {
  /** 2026-03-01 in the zone that was asked for. */
  date: string
  conversations: number
  /** Recorded time. */
  seconds: number
  memories: number
  tasks: number
  events: number
}
