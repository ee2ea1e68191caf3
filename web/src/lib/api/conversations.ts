import { bounds } from '../format/day'
import { getJSON, query, send, sendJSON } from './http'
import type { Conversation, Segment, Transcript, Visibility } from './records'

const at = (conversationID: string) => `api/conversations/${encodeURIComponent(conversationID)}`

/** Which conversations to list, as it stands in the page's address. `from` and `until` are days, the last one included. */
export interface ConversationFilter {
  from?: string
  until?: string
  status?: string
  starred?: string
  discarded?: string
  folder?: string
  person?: string
  topic?: string
  entity?: string
  date?: string
}

export interface ConversationPage {
  conversations: Conversation[] | null
  next_cursor: string | null
}

export interface NewSegment {
  speaker: string
  text: string
  start?: number
  end?: number
  is_user?: boolean
  /** The same one sent twice is stored once. */
  client_id?: string
}

export interface NewConversation {
  title?: string
  source?: string
  language?: string
  started_at?: string
  live?: boolean
  segments?: NewSegment[]
}

export interface ConversationChange {
  title?: string
  starred?: boolean
  folder_id?: string
  visibility?: Visibility
  locked?: boolean
  category?: string
  revision?: number
}

export interface SpeakerChange {
  from: string
  name: string
  person_id?: string
  is_user?: boolean
}

/** Locked ones are listed too: they are kept from answers, not from their owner. */
export const listConversations = (filter: ConversationFilter, cursor: string | null, limit = 30) =>
  getJSON<ConversationPage>(`api/conversations${query({ ...filter, ...bounds(filter.from, filter.until), locked: 1, cursor, limit })}`)

export const getTranscript = (conversationID: string, around?: string | null, signal?: AbortSignal) =>
  getJSON<Transcript>(`${at(conversationID)}${query({ around })}`, signal)

/** Those behind a position, in order; −1 begins with the first. */
export const segmentsAfter = (conversationID: string, after: number, limit: number, signal?: AbortSignal) =>
  getJSON<{ segments: Segment[] | null }>(`${at(conversationID)}/segments${query({ after, limit })}`, signal)

export const createConversation = (conversation: NewConversation) => sendJSON<Conversation>('POST', 'api/conversations', conversation)

export const appendSegments = (conversationID: string, segments: NewSegment[]) =>
  sendJSON<{ stored: Segment[] }>('POST', `${at(conversationID)}/segments`, { segments })

export const finishConversation = (conversationID: string) => sendJSON<Conversation>('POST', `${at(conversationID)}/finish`, {})

export const reprocessConversation = (conversationID: string) => sendJSON<Conversation>('POST', `${at(conversationID)}/reprocess`, {})

/** The first one takes in the segments of the others. */
export const mergeConversations = (ids: string[]) => sendJSON<Conversation>('POST', 'api/conversations/merge', { conversation_ids: ids })

export const changeConversation = (conversationID: string, change: ConversationChange) =>
  sendJSON<Conversation>('PATCH', at(conversationID), change)

export const changeSpeaker = (conversationID: string, change: SpeakerChange) =>
  sendJSON<{ changed: number }>('POST', `${at(conversationID)}/speakers`, change)

export const deleteConversation = (conversationID: string) => send('DELETE', at(conversationID))

export const processingPath = (conversationID: string, after: number) => `${at(conversationID)}/events?after=${after}`
