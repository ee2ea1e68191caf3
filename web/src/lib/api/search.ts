import { bounds, zone } from '../format/day'
import { getJSON, query } from './http'

/** As it stands in the address: lists are joined by commas; `from` and `until` are days, the last one included. */
export interface SearchQuery {
  q?: string
  kinds?: string
  from?: string
  until?: string
  people?: string
}

export type HitKind = 'conversation' | 'summary' | 'chunk' | 'file' | 'memory' | 'task' | 'event'

export interface SearchHit {
  kind: string
  /** Of what is no line of a conversation; a server may say it in segment_id instead. */
  id?: string
  conversation_id?: string
  segment_id?: string
  /** Of a file, and of a passage on a page of one. */
  file_id?: string
  chunk_id?: string
  page?: number
  title: string
  speaker?: string
  at?: string | null
  text: string
  score: number
}

export interface SearchResult {
  results: SearchHit[] | null
  /** A sentence: filters that matched nothing and were dropped, for example. */
  note?: string
  /** How the results came about; see lib/receipt. */
  receipt?: unknown
}

export const search = (asked: SearchQuery, limit = 40, signal?: AbortSignal) =>
  getJSON<SearchResult>(`api/search${query({ ...asked, ...bounds(asked.from, asked.until), zone: zone(), receipt: 1, limit })}`, signal)
