import { describe, expect, it } from 'vitest'
import { addDays, addMonths, bounds, dateOf, dayOf, daysBetween, daysFrom, startOfMonth, startOfWeek } from './day'

describe('days', () => {
  it('adds days over months, leap years and changes of the clocks', () => {
    expect(addDays('2024-02-28', 2)).toBe('2024-03-01')
    expect(addDays('2025-01-01', -1)).toBe('2024-12-31')
    // Every day of a year follows the one before, wherever the clocks change.
    for (let day = '2025-01-01'; day < '2026-01-01'; day = addDays(day, 1)) expect(daysBetween(day, addDays(day, 1))).toBe(1)
  })

  it('stays within the month when it adds months', () => {
    expect(addMonths('2025-01-31', 1)).toBe('2025-02-28')
    expect(addMonths('2025-03-31', -1)).toBe('2025-02-28')
    expect(addMonths('2024-11-15', 3)).toBe('2025-02-15')
  })

  it('finds the beginnings of weeks and months', () => {
    expect(startOfWeek('2026-03-01', 1)).toBe('2026-02-23')
    expect(startOfWeek('2026-03-01', 0)).toBe('2026-03-01')
    expect(startOfMonth('2026-03-19')).toBe('2026-03-01')
    expect(daysFrom('2026-02-27', 3)).toEqual(['2026-02-27', '2026-02-28', '2026-03-01'])
  })

  it('goes there and back between days and dates', () => {
    expect(dayOf(dateOf('2026-10-25'))).toBe('2026-10-25')
    expect(dateOf('2026-10-25', 9, 30).getHours()).toBe(9)
  })

  it('takes the last day in, and leaves out what is no day', () => {
    const { from, until } = bounds('2026-03-01', '2026-03-01')
    expect(Date.parse(until!) - Date.parse(from!)).toBe(86_400_000)
    expect(bounds('yesterday', undefined)).toEqual({ from: null, until: null })
  })
})
