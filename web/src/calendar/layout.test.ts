import { describe, expect, it } from 'vitest'
import type { CalendarEvent } from '../lib/api/records'
import { daysOf, eventsOn, move, place, shownDays, weeksOf } from './layout'

const at = (day: number, hour: number, minute = 0) => new Date(2026, 2, day, hour, minute).toISOString()
const event = (title: string, start: string, end: string, more: Partial<CalendarEvent> = {}): CalendarEvent => ({ event_id: title, title, start, end, all_day: false, revision: 1, ...more })
const timed = (title: string, from: number, to: number) => event(title, at(4, Math.floor(from), (from % 1) * 60), at(4, Math.floor(to), (to % 1) * 60))
const whole = event('whole', '2026-03-04T00:00:00Z', '2026-03-06T00:00:00Z', { all_day: true })
const shape = (events: CalendarEvent[]) => place(events, '2026-03-04').map((p) => `${p.event.title} ${p.column}/${p.columns}`)

describe('the days of an event', () => {
  it('are those that it touches, and midnight is not the next day', () => {
    expect(daysOf(event('late', at(4, 22), at(5, 0)))).toEqual({ first: '2026-03-04', last: '2026-03-04' })
    expect(daysOf(event('over', at(4, 22), at(5, 1)))).toEqual({ first: '2026-03-04', last: '2026-03-05' })
    expect(daysOf(event('moment', at(4, 0), at(4, 0)))).toEqual({ first: '2026-03-04', last: '2026-03-04' })
  })
  it('are the same in every zone when they are whole', () => {
    expect(daysOf(whole)).toEqual({ first: '2026-03-04', last: '2026-03-05' })
    expect(daysOf({ ...whole, end: whole.start }).last).toBe('2026-03-04')
  })
  it('list whole days first, then by time', () => {
    expect(eventsOn([timed('b', 15, 16), timed('a', 9, 10), whole], '2026-03-04').map((e) => e.title)).toEqual(['whole', 'a', 'b'])
    expect(eventsOn([timed('a', 9, 10), whole], '2026-03-06')).toEqual([])
  })
})

describe('place', () => {
  it('puts side by side what overlaps, and nothing else', () => {
    expect(shape([timed('a', 9, 11), timed('b', 10, 12), timed('c', 11, 12), timed('d', 13, 14)])).toEqual(['a 0/2', 'b 1/2', 'c 0/2', 'd 0/1'])
    expect(shape([timed('a', 9, 10), timed('b', 10, 11)])).toEqual(['a 0/1', 'b 0/1'])
    expect(shape([timed('a', 9, 12), timed('b', 9, 10), timed('c', 9.5, 10)])).toEqual(['a 0/3', 'b 1/3', 'c 2/3'])
  })
  it('never lets two stand in one another', () => {
    const events = Array.from({ length: 40 }, (_, i) => timed(`e${i}`, 8 + ((i * 7) % 23) / 2, 8 + ((i * 7) % 23) / 2 + 0.5 + (i % 4) / 2))
    const placed = place(events, '2026-03-04')
    for (const a of placed) {
      expect(a.column).toBeLessThan(a.columns)
      for (const b of placed) if (a !== b && a.column === b.column) expect(a.until <= b.from || b.until <= a.from).toBe(true)
    }
  })
  it('cuts at the ends of the day, keeps short ones in reach, leaves out whole days', () => {
    const [late] = place([event('late', at(4, 23, 50), at(5, 2)), whole], '2026-03-04')
    expect([late!.from, late!.until]).toEqual([1415, 1440])
    const [early] = place([event('late', at(4, 23, 50), at(5, 2))], '2026-03-05')
    expect([early!.from, early!.until]).toEqual([0, 120])
  })
})

describe('what is shown', () => {
  it('of a month are its whole weeks', () => {
    expect(weeksOf('2026-03-15', 1).map((week) => `${week[0]} ${week[6]}`)).toEqual([
      '2026-02-23 2026-03-01', '2026-03-02 2026-03-08', '2026-03-09 2026-03-15', '2026-03-16 2026-03-22', '2026-03-23 2026-03-29', '2026-03-30 2026-04-05',
    ])
    // A February that fills four weeks exactly.
    expect(weeksOf('2027-02-10', 1)).toHaveLength(4)
  })
  it('moves by what is shown', () => {
    expect(shownDays('week', '2026-03-04', 1)).toHaveLength(7)
    expect(shownDays('day', '2026-03-04')).toEqual(['2026-03-04'])
    expect([move('month', '2026-01-31', 1), move('week', '2026-03-04', -1), move('day', '2026-03-01', -1)]).toEqual(['2026-02-28', '2026-02-25', '2026-02-28'])
  })
})
