import { describe, expect, it } from 'vitest'
import type { Conversation, Segment } from '../lib/api/records'
import { lengthOf, rulerOf, segmentAt, shares, ticks, turnBeside } from './ruler'

const said = (position: number, speaker: string, start: number | null, end: number | null = start === null ? null : start + 10, text = 'a few words'): Segment => ({
  segment_id: `c.${position}`, position, speaker, text, start, end,
})
const conversation = (fields: Partial<Conversation> = {}): Conversation => ({
  conversation_id: 'c', title: '', source: '', status: 'completed', started_at: '2026-03-01T10:00:00Z', finished_at: '2026-03-01T10:10:00Z', speakers: [], segment_count: 3, ...fields,
})

describe('ruler', () => {
  it('is as long as the recording, or as what was said in it', () => {
    expect(lengthOf(conversation(), [])).toBe(600)
    expect(lengthOf(conversation({ finished_at: '0001-01-01T00:00:00Z' }), [said(0, 'A', 5, 25)])).toBe(25)
    expect(lengthOf(conversation({ started_at: null }), [])).toBe(0)
    expect(lengthOf(conversation({ finished_at: '2026-03-01T09:00:00Z' }), [])).toBe(0)
  })

  it('joins what one person says in a row, and keeps what lies apart', () => {
    const { unit, strips } = rulerOf(conversation(), [said(0, 'A', 0), said(1, 'A', 11), said(2, 'B', 22), said(3, 'A', 33), said(4, 'A', 300)])
    expect(unit).toBe('seconds')
    expect(strips).toEqual([
      { speaker: 'A', from: 0, to: 21 }, { speaker: 'B', from: 22, to: 32 }, { speaker: 'A', from: 33, to: 43 }, { speaker: 'A', from: 300, to: 310 },
    ])
  })

  it('counts lines where no times are known, negative ones included', () => {
    const { unit, length, strips } = rulerOf(conversation(), [said(0, 'A', null), said(1, 'B', -1, -1), said(2, 'B', null)])
    expect([unit, length]).toEqual(['lines', 3])
    expect(strips).toEqual([{ speaker: 'A', from: 0, to: 1 }, { speaker: 'B', from: 1, to: 3 }])
  })

  it('labels round places, few of them', () => {
    expect(ticks(600, 6)).toEqual([0, 120, 240, 360, 480])
    expect(ticks(45, 5)).toEqual([0, 10, 20, 30, 40])
    expect(ticks(200_000, 8).length).toBeLessThanOrEqual(8)
    expect(ticks(0, 8)).toEqual([])
  })

  it('finds who speaks at a place', () => {
    const all = [said(0, 'A', 5), said(1, 'B', null), said(2, 'A', 40)]
    expect([0, 5, 39, 400].map((at) => segmentAt(all, 'seconds', at)?.position)).toEqual([0, 0, 0, 2])
    expect(segmentAt([], 'seconds', 1)).toBeUndefined()
  })

  it('shares are of the words said', () => {
    expect(shares([said(0, 'A', 0, 1, 'one two three'), said(1, 'B', 1, 2, 'four')])).toEqual([{ speaker: 'A', share: 0.75 }, { speaker: 'B', share: 0.25 }])
    expect(shares([said(0, 'A', 0, 1, '')])).toEqual([{ speaker: 'A', share: 0 }])
  })

  it('goes from speaker to speaker', () => {
    const all = ['A', 'A', 'B', 'B', 'A'].map((speaker, i) => said(i, speaker, i * 10))
    expect(turnBeside(all, 0, 1)?.position).toBe(2)
    expect(turnBeside(all, 4, -1)?.position).toBe(2)
    expect(turnBeside(all, 3, -1)?.position).toBe(0)
    expect(turnBeside(all, 1, -1)).toBeUndefined()
    expect(turnBeside(all, 4, 1)).toBeUndefined()
  })
})
