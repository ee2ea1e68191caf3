import { describe, expect, it } from 'vitest'
import { otherRule, recurrenceOf, repeatOf, rules } from './rule'

describe('rules', () => {
  it('come back as they were made', () => {
    for (const [rule] of rules) {
      for (const until of rule === '' ? [''] : ['', '2026-06-30']) expect(repeatOf(recurrenceOf({ rule, until }, null))).toEqual({ rule, until })
    }
  })
  it('are known however they are written', () => {
    expect(repeatOf(['rrule:interval=2;freq=weekly;wkst=mo'])).toEqual({ rule: 'FREQ=WEEKLY;INTERVAL=2', until: '' })
    expect(repeatOf(['RRULE:FREQ=DAILY;INTERVAL=1;UNTIL=20260630'])).toEqual({ rule: 'FREQ=DAILY', until: '2026-06-30' })
  })
  it('stay as they are when the page cannot make them', () => {
    const lines = ['RRULE:FREQ=MONTHLY;BYDAY=-1FR', 'EXDATE:20260327T090000Z']
    expect(repeatOf(lines).rule).toBe(otherRule)
    expect(recurrenceOf(repeatOf(lines), lines)).toEqual(lines)
    expect(repeatOf(['RDATE:20260327T090000Z']).rule).toBe(otherRule)
  })
  it('keep exceptions', () => {
    expect(recurrenceOf({ rule: 'FREQ=DAILY', until: '' }, ['RRULE:FREQ=WEEKLY', 'EXDATE:20260327T090000Z'])).toEqual(['RRULE:FREQ=DAILY', 'EXDATE:20260327T090000Z'])
    expect(recurrenceOf({ rule: '', until: '' }, ['RRULE:FREQ=WEEKLY', 'EXDATE:20260327T090000Z'])).toEqual([])
  })
})
