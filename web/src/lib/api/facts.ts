import { getJSON, query, send, sendJSON } from './http'
import type { Fact, FactHistory, Review, Visibility } from './records'

const at = (factID: string) => `api/memories/${encodeURIComponent(factID)}`

export interface FactChange {
  content?: string
  pinned?: boolean
  review?: Review
  visibility?: Visibility
  revision?: number
}

/** `all` lists also those that do not hold any more. */
export const listFacts = (all: boolean, cursor: string | null, limit = 100) =>
  getJSON<{ memories: Fact[]; next_cursor: string | null }>(`api/memories${query({ all: all ? 1 : null, cursor, limit })}`)

export const getFact = (factID: string, signal?: AbortSignal) => getJSON<FactHistory>(at(factID), signal)

export const createFact = (content: string) => sendJSON<Fact>('POST', 'api/memories', { content })

export const changeFact = (factID: string, change: FactChange) => sendJSON<Fact>('PATCH', at(factID), change)

export const deleteFact = (factID: string) => send('DELETE', at(factID))
