import type { Segment } from '../lib/api/records'

/** Lines of one speaker in a row. */
export interface Passage {
  speaker: string
  /** 0 to 5: which of the colours for speakers. */
  tint: number
  start: number | null
  segments: Segment[]
}

export type Tints = Map<string, number>

/** A colour for each speaker, in the order in which they are known: the same however much of a transcript is shown. */
export function tintsOf(speakers: string[], segments: Segment[]): Tints {
  const all = new Set([...speakers, ...segments.map((segment) => segment.speaker)])
  return new Map([...all].map((speaker, i) => [speaker, i % 6]))
}

/** Puts the lines of a transcript together as a reader would set them; a long silence begins a new passage. */
export function passages(segments: Segment[], speakers: string[] = [], silence = 90): Passage[] {
  const sorted = [...segments].sort((a, b) => a.position - b.position)
  const tints = tintsOf(speakers, sorted)
  const all: Passage[] = []
  for (const segment of sorted) {
    const last = all.at(-1)
    const before = last?.segments.at(-1)
    const pause = before?.end != null && segment.start != null ? segment.start - before.end : 0
    if (last?.speaker === segment.speaker && pause < silence) last.segments.push(segment)
    else all.push({ speaker: segment.speaker, tint: tints.get(segment.speaker) ?? 0, start: segment.start, segments: [segment] })
  }
  return all
}
