import type { CalendarEvent } from '../lib/api/records'
import { addDays, daysFrom, dayOf, dateOf, startOfMonth, startOfWeek, addMonths, daysBetween, type Day } from '../lib/format/day'
import type { CalendarSpan } from '../lib/route'

/** Where an event stands in a column of the day. */
export interface Placed {
  event: CalendarEvent
  /** Minutes from midnight, within the day. */
  from: number
  until: number
  /** Of events at the same time each has a column of its own: `column` of `columns`. */
  column: number
  columns: number
}

const minutesOfDay = 1440
/** Shorter ones could not be hit. */
const shortest = 25

/** The first and last day that an event touches, for the person. One that ends at midnight does not touch the next day. */
export function daysOf(event: CalendarEvent): { first: Day; last: Day } {
  if (event.all_day) {
    const first = event.start.slice(0, 10)
    const end = event.end.slice(0, 10)
    return { first, last: end > first ? addDays(end, -1) : first }
  }
  const start = new Date(event.start)
  const end = new Date(Math.max(start.getTime(), new Date(event.end).getTime() - 1))
  return { first: dayOf(start), last: dayOf(end) }
}

/** Those that touch a day: whole days first, then by their start. */
export function eventsOn(events: CalendarEvent[], day: Day): CalendarEvent[] {
  const touching = events.filter((event) => {
    const { first, last } = daysOf(event)
    return first <= day && day <= last
  })
  return touching.sort((a, b) => Number(b.all_day) - Number(a.all_day) || a.start.localeCompare(b.start) || a.title.localeCompare(b.title))
}

/** True for what stands above the hours: whole days, and what lasts longer than one. */
export const above = (event: CalendarEvent): boolean => event.all_day || Date.parse(event.end) - Date.parse(event.start) >= 86_400_000

/** Puts the timed events of a day side by side where they overlap. */
export function place(events: CalendarEvent[], day: Day): Placed[] {
  const midnight = dateOf(day).getTime()
  const minute = (time: string) => Math.min(minutesOfDay, Math.max(0, Math.round((Date.parse(time) - midnight) / 60_000)))
  const all: Placed[] = eventsOn(events, day)
    .filter((event) => !above(event))
    .map((event) => {
      const from = Math.min(minute(event.start), minutesOfDay - shortest)
      return { event, from, until: Math.max(minute(event.end), from + shortest), column: 0, columns: 1 }
    })
    .sort((a, b) => a.from - b.from || b.until - a.until)
  let cluster: Placed[] = []
  let end = -1
  const close = () => {
    const columns = Math.max(0, ...cluster.map((placed) => placed.column)) + 1
    for (const placed of cluster) placed.columns = columns
    cluster = []
  }
  for (const placed of all) {
    if (placed.from >= end) close()
    const taken = new Set(cluster.filter((other) => other.until > placed.from).map((other) => other.column))
    while (taken.has(placed.column)) placed.column++
    cluster.push(placed)
    end = Math.max(cluster.length === 1 ? placed.until : end, placed.until)
  }
  close()
  return all
}

/** The weeks that a month touches. */
export function weeksOf(day: Day, begins?: number): Day[][] {
  const first = startOfWeek(startOfMonth(day), begins)
  const weeks = Math.ceil(daysBetween(first, addMonths(startOfMonth(day), 1)) / 7)
  return Array.from({ length: weeks }, (_, i) => daysFrom(addDays(first, i * 7), 7))
}

/** The days that a view shows. */
export function shownDays(span: CalendarSpan, day: Day, begins?: number): Day[] {
  if (span === 'month') return weeksOf(day, begins).flat()
  return span === 'week' ? daysFrom(startOfWeek(day, begins), 7) : [day]
}

export function move(span: CalendarSpan, day: Day, by: 1 | -1): Day {
  return span === 'month' ? addMonths(day, by) : addDays(day, span === 'week' ? by * 7 : by)
}
