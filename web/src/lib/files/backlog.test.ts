import { describe, expect, it } from 'vitest'
import { Backlog } from './backlog'

describe('a backlog', () => {
  it('does so many at once, each once and in order', async () => {
    const ends: (() => void)[] = []
    const began: number[] = []
    const backlog = new Backlog<number>(3, (n) => new Promise((end) => (began.push(n), ends.push(end))))
    backlog.add(...Array.from({ length: 500 }, (_, i) => i))
    expect(began).toEqual([0, 1, 2])
    ends[1]!()
    await new Promise((resolve) => setTimeout(resolve))
    expect(began).toEqual([0, 1, 2, 3])
    for (let i = 0; i < 500; i++) {
      ends[i]?.()
      await Promise.resolve().then(() => {}).then(() => {})
    }
    await new Promise((resolve) => setTimeout(resolve))
    expect(began).toEqual(Array.from({ length: 500 }, (_, i) => i))
    backlog.add(500)
    expect(began.at(-1)).toBe(500)
  })
})
