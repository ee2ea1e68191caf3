import { describe, expect, it } from 'vitest'
import { buckets, labels, move, newest, range, scale } from './buckets'

const day = (date: string, more = {}) => ({ date, conversations: 1, seconds: 600, memories: 2, tasks: 0, events: 1, ...more })

describe('timeline', () => {
  it('shows whole months, and of a year whole weeks', () => {
    expect(range('month', '2026-02-14')).toEqual({ first: '2026-02-01', last: '2026-02-28' })
    expect(range('quarter', '2026-02-14')).toEqual({ first: '2025-12-01', last: '2026-02-28' })
    const { first, last } = range('year', '2026-02-14', 1)
    expect([first, last]).toEqual(['2025-02-24', '2026-03-01'])
  })

  it('counts every day once, whatever the zoom, and leaves empty days empty', () => {
    const days = [day('2026-02-01'), day('2026-02-14', { seconds: 1200 }), day('2026-02-28'), day('1999-01-01')]
    for (const span of ['month', 'quarter', 'year'] as const) {
      const all = buckets(span, '2026-02-14', days, 1)
      const sum = (of: (bucket: (typeof all)[number]) => number) => all.reduce((total, bucket) => total + of(bucket), 0)
      expect([sum((b) => b.seconds), sum((b) => b.memories), sum((b) => b.conversations)]).toEqual([2400, 6, 3])
      for (let i = 1; i < all.length; i++) expect(all[i]!.first > all[i - 1]!.last).toBe(true)
    }
    expect(buckets('month', '2026-02-14', [])).toHaveLength(28)
    expect(buckets('year', '2026-02-14', [], 1).length).toBeGreaterThanOrEqual(52)
  })

  it('finds the newest day of which something is known, not in the future, and not by tasks and events', () => {
    const nothing = { conversations: 0, seconds: 0, memories: 0 }
    const days = [day('2026-02-03'), day('2026-02-14', { ...nothing, memories: 1 }), day('2026-02-20', { ...nothing, tasks: 1 }), day('2026-03-01')]
    expect(newest(days, '2026-02-28')).toBe('2026-02-14')
    expect(newest(days, '2026-03-01')).toBe('2026-03-01')
    expect(newest(days, '2026-02-02')).toBeNull()
  })

  it('goes by what it shows', () => expect(['month', 'quarter', 'year'].map((span) => move(span as 'month', '2026-03-31', -1))).toEqual(['2026-02-28', '2025-12-31', '2025-03-31']))

  it('has a scale of round values that reaches the highest bar', () => {
    for (const most of [0, 50, 700, 5000, 40_000, 900_000]) {
      const lines = scale(most)
      expect(lines.at(-1)!).toBeGreaterThanOrEqual(most)
      expect(lines.length).toBeLessThanOrEqual(5)
    }
    expect(scale(7000)).toEqual([1800, 3600, 5400, 7200])
  })

  it('has few labels', () => {
    expect(labels('month', buckets('month', '2026-03-10', []))).toHaveLength(6)
    expect(labels('quarter', buckets('quarter', '2026-03-10', []))).toHaveLength(3)
    expect(labels('year', buckets('year', '2026-03-10', [], 1)).length).toBeLessThanOrEqual(13)
  })
})
