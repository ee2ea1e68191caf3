import { count } from './format/words'

/** How a search came to its results, as far as the server says so. */
export interface Receipt {
  query: string
  /** The words that were looked for, and how many passages have each, when that is said. */
  terms: { word: string; passages: number | null }[]
  phrases: string[]
  /** The time that was searched, and the words it was read from. */
  window: { from: string | null; until: string | null; words: string } | null
  filters: { name: string; values: string[] }[]
  dropped: { what: string; why: string }[]
  /** Sentences about the whole. */
  notes: string[]
  candidates: Candidate[]
}

export interface Candidate {
  kind: string
  conversationId: string
  /** The segment, or the record. */
  ref: string
  title: string
  text: string
  /** The whole score, and what it was made of; parts of zero are left out. */
  score: number
  parts: { name: string; value: number }[]
  /** Why it is not among the results; empty when it is. */
  dropped: string
}

const record = (value: unknown): Record<string, unknown> | null => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null)
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const words = (value: unknown): string => (typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : '')
const known = (text: string): string | null => (text === '' || text.startsWith('0001-') ? null : text)

/** The parts of a score by the names of the receipt, as people may understand them. */
const partNames = { words: 'words', meaning: 'meaning', neighbour: 'neighbours', session: 'conversation', cover: 'coverage' }

/**
 * Reads a receipt, which is the server's own and may say more or less than is known here; null when there is nothing in
 * it to show. Text that is JSON is unfolded, since results of tools may be text.
 */
export function readReceipt(value: unknown): Receipt | null {
  const receipt = record(unfold(value))
  if (!receipt) return null
  const window = record(receipt.window)
  const read: Receipt = {
    query: words(receipt.query),
    terms: list(receipt.terms).map(readTerm).filter(({ word }) => word !== ''),
    phrases: list(receipt.phrases).map(words).filter(Boolean),
    window: window && { from: known(words(window.from)), until: known(words(window.until)), words: words(window.words) },
    filters: readFilters(receipt.filters),
    dropped: list(receipt.dropped).map(record).flatMap((entry) => (entry ? [{ what: words(entry.what) || words(entry.filter), why: words(entry.why) || words(entry.reason) }] : [])),
    notes: readNotes(receipt),
    candidates: list(receipt.candidates).map(record).flatMap((entry) => (entry ? [readCandidate(entry)] : [])),
  }
  if (read.window && !read.window.from && !read.window.until && !read.window.words) read.window = null
  const empty = read.query === '' && read.terms.length + read.phrases.length + read.filters.length + read.dropped.length + read.candidates.length === 0
  return empty && !read.window ? null : read
}

/** The receipt in a tool's result, if there is one. */
export const receiptIn = (result: unknown): Receipt | null => readReceipt(record(unfold(result))?.receipt)

/** The result without its receipt, which is shown in its own way. */
export function withoutReceipt(result: unknown): unknown {
  const found = record(unfold(result))
  if (!found || !('receipt' in found)) return result
  const { receipt: _, ...rest } = found
  return rest
}

function readTerm(value: unknown): Receipt['terms'][number] {
  const term = record(value)
  if (!term) return { word: words(value), passages: null }
  return { word: words(term.word), passages: typeof term.passages === 'number' ? term.passages : null }
}

function readNotes({ considered, refused, words_only }: Record<string, unknown>): string[] {
  const notes: string[] = []
  if (typeof considered === 'number') notes.push(`${count(considered, 'passage')} looked at${typeof refused === 'number' && refused > 0 ? `, ${refused.toLocaleString()} of them with too little to do with it` : ''}.`)
  if (words_only === true) notes.push('Only words were compared, not meanings.')
  return notes
}

function readFilters(value: unknown): Receipt['filters'] {
  const filters = record(value)
  if (!filters) return list(value).map(words).filter(Boolean).map((name) => ({ name, values: [] }))
  return Object.entries(filters).flatMap(([name, value]) => {
    const values = (Array.isArray(value) ? value : [value]).map(words).filter((text) => text !== '' && text !== 'false')
    return values.length === 0 ? [] : [{ name, values: values.join() === 'true' ? [] : values }]
  })
}

function readCandidate(entry: Record<string, unknown>): Candidate {
  const number = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : 0)
  const dropped = entry.dropped
  return {
    kind: words(entry.kind),
    conversationId: words(entry.conversation_id),
    ref: words(entry.ref),
    title: words(entry.title),
    text: words(entry.text),
    score: number(entry.score),
    parts: Object.entries(partNames).flatMap(([key, name]) => (number(entry[key]) > 0 ? [{ name, value: number(entry[key]) }] : [])),
    dropped: dropped === true ? 'dropped' : words(dropped) === 'false' ? '' : words(dropped),
  }
}

function unfold(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value) as unknown
  } catch {
    return null
  }
}
