import type { Segment } from '../lib/api/types'

/** Lines of one speaker in a row. */
export interface Passage {
  speaker: string
  /** 0 to 5: which of the colours for speakers. */
  tint: number
  start: number | null
  segments: Segment[]
}

/** Puts the lines of a transcript together as a reader would set them; a long silence begins a new passage. */
export function passages(segments: Segment[], silence = 90): Passage[] {
  const speakers = new Map<string, number>()
  const all: Passage[] = []
  for (const segment of [...segments].sort((a, b) => a.position - b.position)) {
    const tint = speakers.get(segment.speaker) ?? speakers.size
    speakers.set(segment.speaker, tint)
    const last = all.at(-1)
    const before = last?.segments.at(-1)
    const pause = before?.end != null && segment.start != null ? segment.start - before.end : 0
    if (last?.speaker === segment.speaker && pause < silence) last.segments.push(segment)
    else all.push({ speaker: segment.speaker, tint: tint % 6, start: segment.start, segments: [segment] })
  }
  return all
}
