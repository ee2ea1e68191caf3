/** A day of the person's calendar, written 2026-03-01; no zone, so that adding days never meets a change of the clocks. */
export type Day = string

const two = (value: number) => String(value).padStart(2, '0')

export const dayOf = (date: Date): Day => `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`

export const today = (): Day => dayOf(new Date())

/** The midnight with which the day begins, in the person's zone. */
export function dateOf(day: Day, hours = 0, minutes = 0): Date {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date, hours, minutes)
}

export function addDays(day: Day, days: number): Day {
  const date = dateOf(day, 12)
  date.setDate(date.getDate() + days)
  return dayOf(date)
}

/** The same day of another month, or that month's last. */
export function addMonths(day: Day, months: number): Day {
  const date = dateOf(day, 12)
  const wanted = date.getDate()
  date.setDate(1)
  date.setMonth(date.getMonth() + months)
  date.setDate(Math.min(wanted, new Date(date.getFullYear(), date.getMonth() + 1, 0).getDate()))
  return dayOf(date)
}

/** How many days b is after a. */
export const daysBetween = (a: Day, b: Day): number => Math.round((Date.parse(b) - Date.parse(a)) / 86_400_000)

/** The person's IANA zone. */
export const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** The first day of the week in the person's region: 0 is Sunday. */
export const weekBegins: number = (() => {
  try {
    const locale = new Intl.Locale(new Intl.DateTimeFormat().resolvedOptions().locale) as Intl.Locale & {
      weekInfo?: { firstDay: number }
      getWeekInfo?: () => { firstDay: number }
    }
    return ((locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1) % 7
  } catch {
    return 1
  }
})()

export const startOfWeek = (day: Day, begins = weekBegins): Day => addDays(day, -((dateOf(day).getDay() - begins + 7) % 7))

export const startOfMonth = (day: Day): Day => `${day.slice(0, 8)}01`

/** `n` days from `first` on. */
export const daysFrom = (first: Day, n: number): Day[] => Array.from({ length: n }, (_, i) => addDays(first, i))

export type DayStyle = 'number' | 'weekday' | 'short' | 'long' | 'month' | 'monthOnly' | 'monthShort' | 'year'

const styles: Record<DayStyle, Intl.DateTimeFormatOptions> = {
  number: { day: 'numeric' },
  weekday: { weekday: 'short' },
  short: { day: 'numeric', month: 'short' },
  long: { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
  month: { month: 'long', year: 'numeric' },
  monthOnly: { month: 'long' },
  monthShort: { month: 'short' },
  year: { year: 'numeric' },
}

export const dayName = (day: Day, style: DayStyle): string => dateOf(day, 12).toLocaleDateString(undefined, styles[style])

/** The moments between which the days lie, for a query: the last day belongs to them. Text that is no day is left out. */
export function bounds(from: string | undefined, until: string | undefined): { from: string | null; until: string | null } {
  const known = (day: string | undefined) => day !== undefined && /^\d{4}-\d\d-\d\d$/.test(day)
  return { from: known(from) ? dateOf(from!).toISOString() : null, until: known(until) ? dateOf(addDays(until!, 1)).toISOString() : null }
}
