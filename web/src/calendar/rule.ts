/** The rules of RFC 5545 that the page can make; any other stays as it is. */
export const rules = [
  ['', 'Does not repeat'],
  ['FREQ=DAILY', 'Every day'],
  ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR', 'Every weekday'],
  ['FREQ=WEEKLY', 'Every week'],
  ['FREQ=WEEKLY;INTERVAL=2', 'Every two weeks'],
  ['FREQ=MONTHLY', 'Every month'],
  ['FREQ=YEARLY', 'Every year'],
] as const

/** Stands for a rule that the page cannot make. */
export const otherRule = 'other'

export interface Repeat {
  /** One of `rules`, or `otherRule`. */
  rule: string
  /** The last day, or ''. */
  until: string
}

const parts = (line: string): string[] => line.replace(/^RRULE:/i, '').split(';').filter(Boolean)

/** Reads what repeats out of the lines of an event. */
export function repeatOf(recurrence: string[] | null | undefined): Repeat {
  const lines = (recurrence ?? []).filter((line) => /^RRULE/i.test(line))
  if ((recurrence ?? []).length === 0) return { rule: '', until: '' }
  if (lines.length !== 1) return { rule: otherRule, until: '' }
  const all = parts(lines[0]!.toUpperCase())
  const until = /^UNTIL=(\d{4})(\d\d)(\d\d)/.exec(all.find((part) => part.startsWith('UNTIL=')) ?? '')
  const rest = all.filter((part) => !part.startsWith('UNTIL=') && part !== 'INTERVAL=1' && !part.startsWith('WKST=')).sort()
  const known = rules.find(([rule]) => rule !== '' && rule.split(';').sort().join() === rest.join())
  return { rule: known?.[0] ?? otherRule, until: until ? until.slice(1).join('-') : '' }
}

/** The lines for a choice. What else the event had (exceptions, further dates) stays; another rule takes nothing along. */
export function recurrenceOf(repeat: Repeat, before: string[] | null | undefined): string[] {
  if (repeat.rule === otherRule) return before ?? []
  if (repeat.rule === '') return []
  const until = repeat.until === '' ? '' : `;UNTIL=${repeat.until.replaceAll('-', '')}T235959Z`
  return [`RRULE:${repeat.rule}${until}`, ...(before ?? []).filter((line) => !/^RRULE/i.test(line))]
}
