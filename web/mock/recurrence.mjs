// Enough of RFC 5545 to look real: daily, weekly (BYDAY, INTERVAL), monthly, yearly, UNTIL, EXDATE.
const names = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA']

function* starts(event) {
  const rule = Object.fromEntries((event.recurrence ?? []).find((line) => line.startsWith('RRULE:'))?.slice(6).split(';').map((part) => part.split('=')) ?? [])
  const first = new Date(event.start)
  if (!rule.FREQ) return void (yield first)
  const every = Number(rule.INTERVAL ?? 1)
  const until = rule.UNTIL ? Date.parse(rule.UNTIL.replace(/^(\d{4})(\d\d)(\d\d).*/, '$1-$2-$3T23:59:59Z')) : Infinity
  const days = rule.BYDAY?.split(',').map((name) => names.indexOf(name))
  for (let i = 0, at = new Date(first); i < 4000 && at.getTime() <= until; i++) {
    const week = Math.floor(i / 7)
    if (rule.FREQ === 'WEEKLY') {
      if (week % every === 0 && (days ? days.includes(at.getDay()) : at.getDay() === first.getDay())) yield new Date(at)
      at.setDate(at.getDate() + 1)
    } else {
      yield new Date(at)
      if (rule.FREQ === 'DAILY') at.setDate(at.getDate() + every)
      else if (rule.FREQ === 'MONTHLY') at.setMonth(at.getMonth() + every)
      else at.setFullYear(at.getFullYear() + every)
    }
  }
}

/** The occurrences of an event in from ≤ t < until; `changed` are those that were changed or (null) deleted, by their time. */
export function occurrences(event, from, until, changed = new Map()) {
  const length = Date.parse(event.end) - Date.parse(event.start)
  const found = []
  for (const start of starts(event)) {
    if (start.getTime() >= until) break
    const occurrence = start.toISOString()
    const other = changed.get(occurrence)
    if (other === null || start.getTime() + Math.max(length, 1) <= from) continue
    const end = new Date(start.getTime() + length).toISOString()
    const recurring = (event.recurrence ?? []).length > 0
    found.push({ ...event, start: occurrence, end, recurring, ...(recurring && { occurrence }), ...other })
  }
  return found
}
