import { zone } from '../format/day'
import { getJSON, query, request, send, sendJSON } from './http'
import type { Attendee, CalendarEvent } from './records'

const at = (eventID: string, occurrence: string | null = null) => `api/calendar/${encodeURIComponent(eventID)}${query({ occurrence })}`

export interface EventFields {
  title?: string
  start?: string
  end?: string
  all_day?: boolean
  zone?: string
  description?: string
  location?: string
  recurrence?: string[]
  attendees?: Attendee[]
}

export interface CalendarImport {
  created: number
  updated: number
  failed: { line?: number; reason: string }[] | null
}

/** The occurrences in from ≤ t < until, at most 400 days apart, by start. */
export const listEvents = (from: Date, until: Date, signal?: AbortSignal) =>
  getJSON<{ events: CalendarEvent[] }>(`api/calendar${query({ from: from.toISOString(), until: until.toISOString() })}`, signal)

/** The event as it is stored, of a series its first occurrence: the answer to a change that changes nothing. */
export const getEvent = (eventID: string) => sendJSON<CalendarEvent>('PATCH', at(eventID), {})

export const createEvent = (event: EventFields) => sendJSON<CalendarEvent>('POST', 'api/calendar', event)

/** Without an occurrence the whole series is changed. */
export const changeEvent = (eventID: string, change: EventFields, occurrence: string | null) =>
  sendJSON<CalendarEvent>('PATCH', at(eventID, occurrence), change)

export const deleteEvent = (eventID: string, occurrence: string | null) => send('DELETE', at(eventID, occurrence))

export async function importCalendar(file: File): Promise<CalendarImport> {
  const response = await request(`api/calendar/import${query({ zone: zone() })}`, { method: 'POST', headers: { 'Content-Type': 'text/calendar' }, body: file })
  return (await response.json()) as CalendarImport
}

export const calendarFile = 'api/calendar.ics'
