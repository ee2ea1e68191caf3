import type { Conversation, Segment } from '../lib/api/records'
import { moment } from '../lib/format/date'

/** A conversation laid out along a line: seconds where times are known, else lines. */
export interface Ruler {
  unit: 'seconds' | 'lines'
  length: number
  strips: Strip[]
}

/** Where somebody speaks, in the ruler's unit. */
export interface Strip {
  speaker: string
  from: number
  to: number
}

const known = (seconds: number | null): seconds is number => seconds !== null && Number.isFinite(seconds) && seconds >= 0

/** Where a segment begins on a ruler of this unit; null when that is not known. */
export function placeOf(segment: Segment, unit: Ruler['unit']): number | null {
  if (unit === 'lines') return segment.position
  return known(segment.start) ? segment.start : null
}

/** Seconds from the first to the last word; 0 when no time is known. */
export function lengthOf(conversation: Conversation, segments: Segment[]): number {
  const [from, until] = [moment(conversation.started_at), moment(conversation.finished_at)]
  const recorded = from && until ? (until.getTime() - from.getTime()) / 1000 : 0
  return segments.reduce((longest, { start, end }) => Math.max(longest, known(end) ? end : known(start) ? start : 0), Math.max(0, recorded))
}

/** Lines of one speaker that follow one another closely are one strip. */
export function rulerOf(conversation: Conversation, segments: Segment[]): Ruler {
  const timed = segments.some(({ start, end }) => known(start) && known(end) && end > 0)
  const unit = timed ? 'seconds' : 'lines'
  const length = timed ? lengthOf(conversation, segments) : Math.max(1, conversation.segment_count, (segments.at(-1)?.position ?? -1) + 1)
  const gap = length / 200
  const strips: Strip[] = []
  for (const segment of segments) {
    const from = placeOf(segment, unit)
    if (from === null) continue
    const to = unit === 'lines' ? from + 1 : known(segment.end) ? Math.max(segment.end, from) : from
    const last = strips.at(-1)
    if (last?.speaker === segment.speaker && from - last.to <= gap && from >= last.from) last.to = Math.max(last.to, to)
    else strips.push({ speaker: segment.speaker, from, to })
  }
  return { unit, length, strips }
}

const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400]

/** Round places for labels, `most` of them at most, the beginning included and the end not. */
export function ticks(length: number, most: number): number[] {
  const step = steps.find((candidate) => length / candidate <= most) ?? Math.ceil(length / most / 3600) * 3600
  const places: number[] = []
  for (let at = 0; at < length && places.length < most; at += step) places.push(at)
  return places
}

/** The segment that is heard at a place: the last that began before it. */
export function segmentAt(segments: Segment[], unit: Ruler['unit'], place: number): Segment | undefined {
  let found = segments[0]
  for (const segment of segments) {
    const from = placeOf(segment, unit)
    if (from !== null && from <= place) found = segment
  }
  return found
}

/** How much of what was said each one said, by words, the most talkative first. */
export function shares(segments: Segment[]): { speaker: string; share: number }[] {
  const words = new Map<string, number>()
  let all = 0
  for (const { speaker, text } of segments) {
    const said = text.split(/\s+/).filter(Boolean).length
    words.set(speaker, (words.get(speaker) ?? 0) + said)
    all += said
  }
  return [...words].map(([speaker, said]) => ({ speaker, share: all === 0 ? 0 : said / all })).sort((a, b) => b.share - a.share)
}

/** The first segment of the speaker before or after the one who speaks in `from`. */
export function turnBeside(segments: Segment[], from: number, by: 1 | -1): Segment | undefined {
  const speaker = segments[from]?.speaker
  let at = from
  while (segments[at] && segments[at]!.speaker === speaker) at += by
  if (by < 0) while (at > 0 && segments[at - 1]!.speaker === segments[at]?.speaker) at--
  return segments[at]
}
