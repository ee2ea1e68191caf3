import { describe, expect, it } from 'vitest'
import type { SearchHit } from '../lib/api/search'
import { formatRoute } from '../lib/route'
import { byKind, placeOf } from './hits'

const hit = (kind: string, score: number, more: Partial<SearchHit> = {}): SearchHit => ({ kind, score, id: `${kind}-1`, conversation_id: '', segment_id: '', title: '', speaker: '', at: null, text: '', ...more })

describe('results', () => {
  it('stand by their kind, the best kind first', () => {
    const groups = byKind([hit('conversation', 1), hit('task', 3), hit('conversation', 2), hit('dream', 0.5)])
    expect(groups.map(({ name, hits }) => `${name} ${hits.length}`)).toEqual(['Tasks 1', 'Said 2', 'dream 1'])
  })
  it('are facts under either name, and may say their id as a server does', () => {
    expect(byKind([hit('fact', 1), hit('memory', 2)]).map(({ name, hits }) => `${name} ${hits.length}`)).toEqual(['Facts 2'])
    const { id: _, ...unnamed } = hit('fact', 1, { conversation_id: 'f7', segment_id: 'f7' })
    expect(placeOf(unnamed)).toEqual({ view: 'memory', factId: 'f7' })
  })

  it('open where they are', () => {
    const places = [
      hit('conversation', 1, { conversation_id: 'c1', segment_id: 'c1.4' }), hit('summary', 1, { conversation_id: 'c1' }), hit('memory', 1), hit('task', 1),
      hit('event', 1, { at: new Date(2026, 2, 4, 9).toISOString() }), hit('event', 1, { at: '0001-01-01T00:00:00Z' }),
      hit('chunk', 1, { file_id: 'f1', page: 5, chunk_id: 'k2' }), hit('file', 1, { file_id: 'f1' }),
    ]
    expect(places.map((place) => formatRoute(placeOf(place)))).toEqual([
      '#/conversations/c1?at=c1.4', '#/conversations/c1?at=summary', '#/memory/memory-1', '#/tasks/task-1', '#/calendar/day?date=2026-03-04&event=event-1', '#/calendar/day?event=event-1',
      '#/library/f1?page=5&chunk=k2', '#/library/f1',
    ])
  })
})
