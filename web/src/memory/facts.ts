import type { Fact } from '../lib/api/records'
import { moment } from '../lib/format/date'
import { groupName } from '../lib/format/date'

export type FactFilter = 'holds' | 'all' | 'rejected' | 'superseded'

/** The longest a fact may be (DESIGN.md section 12). */
export const mostWords = 15

export const wordsIn = (text: string): number => text.split(/\s+/).filter(Boolean).length

export const superseded = (fact: Fact): boolean => Boolean(fact.superseded_by) || moment(fact.valid_to) !== null

export const rejected = (fact: Fact): boolean => fact.review === 'rejected'

const passes: Record<FactFilter, (fact: Fact) => boolean> = {
  holds: (fact) => !rejected(fact) && !superseded(fact),
  all: () => true,
  rejected,
  superseded: (fact) => superseded(fact) && !rejected(fact),
}

/** The facts that a filter lets through, the pinned ones in a group of their own, the others by when they were said. */
export function grouped(facts: Fact[], filter: FactFilter, words = '', now = new Date()): { name: string; facts: Fact[] }[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  const shown = facts.filter((fact) => passes[filter](fact) && wanted.every((word) => fact.content.toLowerCase().includes(word)))
  const pinned = shown.filter((fact) => fact.pinned)
  const others = shown.filter((fact) => !fact.pinned).sort((a, b) => (b.valid_from || b.created_at).localeCompare(a.valid_from || a.created_at))
  const groups = pinned.length > 0 ? [{ name: 'Pinned', facts: pinned }] : []
  for (const fact of others) {
    const name = groupName(moment(fact.valid_from) ? fact.valid_from : fact.created_at, now)
    const group = groups.find((candidate) => candidate.name === name)
    if (group) group.facts.push(fact)
    else groups.push({ name, facts: [fact] })
  }
  return groups
}
