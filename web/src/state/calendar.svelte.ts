import * as api from '../lib/api/calendar'
import { explain } from '../lib/api/problem'
import type { CalendarEvent } from '../lib/api/records'
import { moment } from '../lib/format/date'
import { addDays, dateOf, type Day } from '../lib/format/day'
import { count } from '../lib/format/words'
import { attempt, succeeds } from './attempt'
import { toasts } from './toast.svelte'

/** What names an occurrence: when it would have begun, had nobody changed it. */
export const occurrenceOf = (event: CalendarEvent): string => (moment(event.occurrence) ? event.occurrence! : event.start)

export const keyOf = (event: CalendarEvent): string => `${event.event_id} ${occurrenceOf(event)}`

/** The events of the days that are shown. */
class Calendar {
  events = $state.raw<CalendarEvent[]>([])
  loading = $state(false)
  error = $state<string | null>(null)
  #shown: [Day, Day] | null = null
  #abort = new AbortController()

  /** Reads the days from the first to the last. */
  async show(first: Day, last: Day): Promise<void> {
    this.#shown = [first, last]
    this.#abort.abort()
    this.#abort = new AbortController()
    const { signal } = this.#abort
    this.loading = true
    this.error = null
    try {
      const { events } = await api.listEvents(dateOf(addDays(first, -1)), dateOf(addDays(last, 2)), signal)
      this.events = events ?? []
    } catch (error) {
      if (!signal.aborted) this.error = explain(error)
    } finally {
      if (!signal.aborted) this.loading = false
    }
  }

  async refresh(): Promise<void> {
    if (this.#shown) await this.show(...this.#shown)
  }

  async create(fields: api.EventFields): Promise<CalendarEvent | null> {
    const event = await attempt('Not saved', () => api.createEvent(fields))
    if (event) await this.refresh()
    return event
  }

  /** Changes one occurrence, or the whole series: its times then move by as much as those of this occurrence. */
  async change(event: CalendarEvent, fields: api.EventFields, whole: boolean): Promise<CalendarEvent | null> {
    const changed = await attempt('Not saved', async () => {
      if (!event.recurring || !whole) return api.changeEvent(event.event_id, fields, event.recurring ? occurrenceOf(event) : null)
      return api.changeEvent(event.event_id, await this.#moved(event, fields), null)
    })
    if (changed) await this.refresh()
    return changed
  }

  async remove(event: CalendarEvent, whole: boolean): Promise<boolean> {
    const gone = await succeeds('Not deleted', () => api.deleteEvent(event.event_id, event.recurring && !whole ? occurrenceOf(event) : null))
    if (gone) await this.refresh()
    return gone
  }

  async importFiles(files: Iterable<File>): Promise<void> {
    for (const file of files) {
      const result = await attempt(`${file.name} was not imported`, () => api.importCalendar(file))
      if (!result) continue
      const { created, updated, failed } = result
      const first = failed?.[0]
      const trouble = first ? ` ${count(failed.length, 'entry', 'entries')} could not be read: ${first.reason}${first.line ? ` (line ${first.line})` : ''}` : ''
      toasts.show(`${file.name}: ${count(created, 'new event')}, ${updated} updated.${trouble}`, undefined, trouble ? 15_000 : 6_000)
    }
    await this.refresh()
  }

  async #moved(event: CalendarEvent, fields: api.EventFields): Promise<api.EventFields> {
    if (fields.start === undefined && fields.end === undefined) return fields
    const stored = await api.getEvent(event.event_id)
    const by = Date.parse(fields.start ?? event.start) - Date.parse(event.start)
    const length = Date.parse(fields.end ?? event.end) - Date.parse(fields.start ?? event.start)
    const start = Date.parse(stored.start) + by
    return { ...fields, start: new Date(start).toISOString(), end: new Date(start + length).toISOString() }
  }
}

export const calendar = new Calendar()
