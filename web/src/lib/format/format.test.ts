import { describe, expect, it } from 'vitest'
import { duration, groupByDay, offset } from './date'
import { hollow, howMany, pretty } from './json'
import { count, marked, names } from './words'

describe('dates', () => {
  it('groups by the days of the person, not by hours', () => {
    const now = new Date(2025, 4, 20, 0, 30)
    const at = (...args: [number, number, number, number]) => new Date(...args).toISOString()
    const times = [at(2025, 4, 20, 0), at(2025, 4, 19, 23), at(2025, 4, 19, 0), at(2025, 4, 14, 12), at(2025, 3, 25, 12), at(2024, 1, 1, 0)]
    expect(groupByDay(times, (t) => t, now).map((g) => [g.name, g.things.length])).toEqual([
      ['Today', 1], ['Yesterday', 2], ['This week', 1], ['This month', 1], ['Earlier', 1],
    ])
  })

  it.each([[0, '0:00'], [7.9, '0:07'], [750, '12:30'], [3723, '1:02:03'], [null, '']])('offset %s is %j', (s, text) => expect(offset(s)).toBe(text))
  it.each([[12, '12 ms'], [1234, '1.2 s'], [12_300, '12 s'], [83_000, '1 min 23 s']])('duration %s is %j', (ms, text) => expect(duration(ms)).toBe(text))
})

describe('pretty', () => {
  it('unfolds JSON in text, leaves words, cuts what is endless', () => {
    expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}')
    expect(pretty('hello')).toBe('hello')
    expect(pretty('x'.repeat(30), 10)).toBe(`${'x'.repeat(10)}\n… 20 more characters`)
    expect([{}, [], '', null, undefined].every(hollow)).toBe(true)
    expect(hollow(0)).toBe(false)
  })
})

describe('howMany', () => {
  it('counts lists only', () => {
    expect([[1, 2], { results: [1] }, { items: [] }, { results: 3 }, 'ab', null].map(howMany)).toEqual([2, 1, 0, null, null, null])
  })
})

describe('words', () => {
  it('marks the words of a search and their endings', () => {
    expect(marked('The Boat leaks; boats do.', 'boat (x')).toEqual([
      { text: 'The ', hit: false }, { text: 'Boat', hit: true }, { text: ' leaks; ', hit: false }, { text: 'boats', hit: true }, { text: ' do.', hit: false },
    ])
    expect(marked('abc', '')).toEqual([{ text: 'abc', hit: false }])
    expect(marked('a boat', 'oat')).toEqual([{ text: 'a boat', hit: false }])
  })

  it('lists names', () => {
    expect([[], ['A'], ['A', 'B'], ['A', 'B', 'C'], ['A', 'B', 'C', 'D']].map((list) => names(list))).toEqual(['', 'A', 'A and B', 'A, B and C', 'A, B and 2 others'])
    expect([count(1, 'line'), count(2, 'line')]).toEqual(['1 line', '2 lines'])
  })
})
