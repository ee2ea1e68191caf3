import { describe, expect, it } from 'vitest'
import type { Fact } from '../lib/api/records'
import { grouped, wordsIn } from './facts'

const now = new Date(2026, 2, 10, 12)
const fact = (id: string, days: number, more: Partial<Fact> = {}): Fact => {
  const at = new Date(now.getTime() - days * 86_400_000).toISOString()
  return { memory_id: id, content: `Fact ${id}`, category: 'system', created_at: at, updated_at: at, valid_from: at, manually_added: false, edited: false, pinned: false, visibility: 'private', locked: false, revision: 1, ...more }
}
const all = [
  fact('old', 40), fact('today', 0), fact('pinned', 90, { pinned: true }), fact('no', 1, { review: 'rejected' }),
  fact('was', 2, { valid_to: now.toISOString(), superseded_by: 'today' }), fact('zero', 1, { valid_to: '0001-01-01T00:00:00Z' }),
]
const shape = (...args: Parameters<typeof grouped>) => grouped(...args).map((group) => `${group.name}: ${group.facts.map((f) => f.memory_id).join()}`)

describe('facts', () => {
  it('shows what holds, pinned first, then by when it was said', () => {
    expect(shape(all, 'holds', '', now)).toEqual(['Pinned: pinned', 'Today: today', 'Yesterday: zero', 'Earlier: old'])
  })
  it('shows the rest when it is asked for', () => {
    expect(shape(all, 'rejected', '', now)).toEqual(['Yesterday: no'])
    expect(shape(all, 'superseded', '', now)).toEqual(['This week: was'])
    expect(grouped(all, 'all', '', now).flatMap((group) => group.facts)).toHaveLength(all.length)
  })
  it('finds by words', () => expect(shape(all, 'all', 'OLD fact', now)).toEqual(['Earlier: old']))
  it('counts words as people do', () => expect([wordsIn('  one\ntwo  three '), wordsIn('')]).toEqual([3, 0]))
})
