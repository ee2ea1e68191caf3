import type { TimelineDay } from '../lib/api/records'
import { addDays, addMonths, dayName, daysBetween, daysFrom, startOfMonth, startOfWeek, type Day } from '../lib/format/day'
import type { TimelineSpan } from '../lib/route'

/** What is counted, beside the recorded time. */
export const kinds = [
  ['conversations', 'Conversations'],
  ['memories', 'Facts'],
  ['tasks', 'Tasks'],
  ['events', 'Events'],
] as const
export type Kind = (typeof kinds)[number][0]

/** A day of the picture, or in the picture of a year a week. */
export interface Bucket extends Record<Kind, number> {
  first: Day
  last: Day
  seconds: number
}

/** The days of a picture: whole months, of a year its whole weeks. */
export function range(span: TimelineSpan, date: Day, begins?: number): { first: Day; last: Day } {
  const end = addDays(addMonths(startOfMonth(date), 1), -1)
  if (span === 'month') return { first: startOfMonth(date), last: end }
  if (span === 'quarter') return { first: addMonths(startOfMonth(date), -2), last: end }
  return { first: startOfWeek(addDays(addMonths(startOfMonth(date), -11), 0), begins), last: addDays(startOfWeek(end, begins), 6) }
}

export function buckets(span: TimelineSpan, date: Day, days: TimelineDay[], begins?: number): Bucket[] {
  const { first, last } = range(span, date, begins)
  const size = span === 'year' ? 7 : 1
  const known = new Map(days.map((day) => [day.date, day]))
  return Array.from({ length: Math.ceil((daysBetween(first, last) + 1) / size) }, (_, i) => {
    const from = addDays(first, i * size)
    const sum: Bucket = { first: from, last: addDays(from, size - 1), seconds: 0, conversations: 0, memories: 0, tasks: 0, events: 0 }
    for (const day of daysFrom(from, size)) {
      const found = known.get(day)
      if (!found) continue
      sum.seconds += found.seconds
      for (const [kind] of kinds) sum[kind] += found[kind]
    }
    return sum
  })
}

/**
 * The last of the days, not after `until`, of which something is known; null when there is none. Events do not count,
 * since many repeat for ever, nor do tasks, since those of an old recording are noted on the day of its import.
 */
export function newest(days: TimelineDay[], until: Day): Day | null {
  const known = days.filter(({ date, conversations, memories }) => date <= until && conversations + memories > 0)
  return known.reduce<Day | null>((last, { date }) => (date > (last ?? '') ? date : last), null)
}

export const move = (span: TimelineSpan, date: Day, by: 1 | -1): Day => addMonths(date, by * { month: 1, quarter: 3, year: 12 }[span])

/** Round values for the lines behind the bars, in seconds: the last one is not below `most`. */
export function scale(most: number): number[] {
  const steps = [60, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400]
  const step = steps.find((candidate) => most / candidate <= 4) ?? 86_400 * Math.ceil(most / 86_400 / 4)
  return Array.from({ length: Math.max(1, Math.ceil(most / step)) }, (_, i) => (i + 1) * step)
}

/** Where labels stand below the picture: months in a year and a quarter, every few days in a month. */
export function labels(span: TimelineSpan, all: Bucket[]): { at: number; text: string }[] {
  return all.flatMap(({ first, last }, at) => {
    if (span === 'month') return Number(first.slice(8)) % 5 === 1 && first.slice(8) !== '31' ? [{ at, text: dayName(first, 'short') }] : []
    const begins = first.slice(8) === '01' || first.slice(0, 7) !== last.slice(0, 7)
    return begins ? [{ at, text: dayName(last, span === 'year' ? 'monthShort' : 'monthOnly') }] : []
  })
}
