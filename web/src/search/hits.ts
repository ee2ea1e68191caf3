import type { SearchHit } from '../lib/api/search'
import { moment } from '../lib/format/date'
import { dayOf } from '../lib/format/day'
import { fileAt, type Route } from '../lib/route'

/** The kinds of what is found, in the order in which they are shown. */
export const kinds = [
  ['conversation', 'Said'],
  ['summary', 'Conversations'],
  ['chunk', 'Pages'],
  ['file', 'Files'],
  ['memory', 'Facts'],
  ['task', 'Tasks'],
  ['event', 'Calendar'],
] as const

/** Facts go by two names. */
const kindOf = (hit: SearchHit) => (hit.kind === 'fact' ? 'memory' : hit.kind)

/** The results by their kind; the kind of the best one comes first. A kind that is not known stands under its own name. */
export function byKind(hits: SearchHit[]): { kind: string; name: string; hits: SearchHit[] }[] {
  const groups = new Map<string, SearchHit[]>()
  for (const hit of hits) groups.set(kindOf(hit), [...(groups.get(kindOf(hit)) ?? []), hit])
  const best = (group: SearchHit[]) => Math.max(...group.map(({ score }) => score))
  return [...groups]
    .map(([kind, group]) => ({ kind, name: kinds.find(([known]) => known === kind)?.[1] ?? kind, hits: group }))
    .sort((a, b) => best(b.hits) - best(a.hits))
}

/** Where a result opens. */
export function placeOf(hit: SearchHit): Route {
  const id = hit.id || hit.segment_id || hit.conversation_id || null
  const start = moment(hit.at ?? null)
  switch (kindOf(hit)) {
    case 'memory':
      return { view: 'memory', factId: id }
    case 'chunk':
      // Without its page a passage cannot be opened, but its file can.
      return fileAt(hit.file_id || hit.conversation_id || '', hit.page ?? null, hit.page ? (hit.chunk_id ?? null) : null)
    case 'file':
      return fileAt(hit.file_id ?? id ?? '')
    case 'task':
      return { view: 'tasks', taskId: id }
    case 'event':
      return { view: 'calendar', span: 'day', date: start ? dayOf(start) : null, eventId: id }
    case 'summary':
      return { view: 'conversation', conversationId: hit.conversation_id || (id ?? ''), segmentId: 'summary' }
    default:
      return { view: 'conversation', conversationId: hit.conversation_id ?? '', segmentId: hit.segment_id || null }
  }
}
