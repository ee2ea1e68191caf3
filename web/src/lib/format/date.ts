/** Times for people, in their own zone and language. */

const day = 86_400_000

const startOfDay = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()

/** How many midnights lie between the two. */
export function daysAgo(then: Date, now: Date): number {
  return Math.round((startOfDay(now) - startOfDay(then)) / day)
}

export function groupName(then: string, now: Date): string {
  const ago = daysAgo(new Date(then), now)
  if (!(ago > 0)) return 'Today'
  if (ago === 1) return 'Yesterday'
  if (ago < 7) return 'This week'
  if (ago < 30) return 'This month'
  return 'Earlier'
}

/** Puts things that follow one another into named groups, keeping their order. */
export function groupByDay<T>(things: T[], when: (thing: T) => string, now = new Date()): { name: string; things: T[] }[] {
  const groups: { name: string; things: T[] }[] = []
  for (const thing of things) {
    const name = groupName(when(thing), now)
    const group = groups.find((candidate) => candidate.name === name)
    if (group) group.things.push(thing)
    else groups.push({ name, things: [thing] })
  }
  return groups
}

/** The moment, or null when it is not known: missing, unreadable, or in the year 1, which is Go's zero. */
export function moment(text: string | null | undefined): Date | null {
  const date = text ? new Date(text) : null
  return date && date.getUTCFullYear() > 1 ? date : null
}

export function longDate(text: string | null | undefined): string {
  const date = moment(text)
  if (!date) return ''
  const year = date.getFullYear() === new Date().getFullYear() ? {} : ({ year: 'numeric' } as const)
  return date.toLocaleString(undefined, { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', ...year })
}

export function shortDate(text: string | null | undefined): string {
  const date = moment(text)
  if (!date) return ''
  const year = date.getFullYear() === new Date().getFullYear() ? {} : ({ year: 'numeric' } as const)
  return date.toLocaleDateString(undefined, { day: 'numeric', month: 'short', ...year })
}

export function clock(text: string | null | undefined): string {
  return moment(text)?.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' }) ?? ''
}

/** A time in as few letters as it takes: 9:15 AM, 2 PM, 14:00. */
export function briefClock(text: string | null | undefined): string {
  const date = moment(text)
  if (!date) return ''
  const time = date.toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' })
  return /\p{L}/u.test(time) ? time.replace(/:00(?=\D)/, '') : time
}

/** A place in a recording: 0:07, 12:30, 1:02:03. */
export function offset(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return ''
  const whole = Math.max(0, Math.floor(seconds))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

/** How long something took or takes, for people: 45 s, 12 min, 2 h 5 min. */
export function span(seconds: number): string {
  const minutes = Math.round(seconds / 60)
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`
  if (minutes < 60) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h${minutes % 60 > 0 ? ` ${minutes % 60} min` : ''}`
}
