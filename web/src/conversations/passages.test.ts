import { describe, expect, it } from 'vitest'
import { passages, tintsOf } from './passages'

const line = (position: number, speaker: string, start: number | null = position * 10) => ({ segment_id: `s${position}`, position, speaker, text: '', start, end: start === null ? null : start + 5 })
const shape = (...args: Parameters<typeof passages>) => passages(...args).map((p) => `${p.speaker}${p.tint}:${p.segments.map((s) => s.position).join()}`)

describe('passages', () => {
  it('puts lines of one speaker together, in their order', () => {
    expect(shape([line(2, 'B'), line(0, 'A'), line(1, 'A'), line(3, 'A')])).toEqual(['A0:0,1', 'B1:2', 'A0:3'])
  })
  it('begins anew after a silence', () => {
    expect(shape([line(0, 'A', 0), line(1, 'A', 300)])).toEqual(['A0:0', 'A0:1'])
  })
  it('needs no times, and reuses colours', () => {
    expect(shape([line(0, 'A', null), line(1, 'A', null)])).toEqual(['A0:0,1'])
    expect(passages('ABCDEFG'.split('').map((s, i) => line(i, s))).map((p) => p.tint)).toEqual([0, 1, 2, 3, 4, 5, 0])
  })
  it('gives a speaker the same colour in every part of a transcript', () => {
    expect(passages([line(7, 'B'), line(8, 'A')], ['A', 'B']).map((p) => p.tint)).toEqual([1, 0])
    expect([...tintsOf(['A'], [line(0, 'C'), line(1, 'A')])]).toEqual([['A', 0], ['C', 1]])
  })
})
