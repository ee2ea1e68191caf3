import * as api from '../lib/api/conversations'
import { explain, Problem } from '../lib/api/problem'
import type { Segment, Transcript } from '../lib/api/records'
import { progress, type ProgressEvent, type StepView } from '../lib/process'
import { follow } from '../lib/sse/follow'
import { attempt } from './attempt'
import { conversations } from './conversations.svelte'
import { freshId } from './random'

/** How many lines are read at once when one comes to an end of what is shown. */
const page = 200
/** How often a conversation that goes on is looked at, in milliseconds. */
const beat = 2_500

/** One open conversation: a window of its lines that grows both ways, and how far its processing is. */
export class OpenConversation {
  /** Its `segments` are those of the first answer; what is shown is in `segments` below. */
  about = $state.raw<Transcript | null>(null)
  segments = $state.raw<Segment[]>([])
  steps = $state.raw<StepView[]>([])
  error = $state<string | null>(null)
  /** Lines are being read, before or behind those that are shown. */
  reading = $state<'before' | 'behind' | null>(null)
  readonly #gone = new AbortController()
  #following = false

  live = $derived(this.about?.status === 'in_progress')
  first = $derived(this.segments[0]?.position ?? 0)
  last = $derived(this.segments.at(-1)?.position ?? -1)
  whole = $derived(this.about !== null && this.last >= this.about.segment_count - 1)

  constructor(readonly id: string) {
    const timer = setInterval(() => void this.#look(), beat)
    this.#gone.signal.addEventListener('abort', () => clearInterval(timer))
  }

  dispose(): void {
    this.#gone.abort()
  }

  async load(around: string | null = null): Promise<void> {
    this.error = null
    try {
      const transcript = await api.getTranscript(this.id, around, this.#gone.signal)
      this.segments = [...(transcript.segments ?? [])].sort((a, b) => a.position - b.position)
      this.#show(transcript)
      void this.#follow()
    } catch (error) {
      if (!this.#gone.signal.aborted) this.error = explain(error)
    }
  }

  /** What is known about it, anew; the lines that are shown stay. */
  async reload(): Promise<void> {
    const transcript = await api.getTranscript(this.id, this.segments[0]?.segment_id, this.#gone.signal).catch(() => null)
    if (!transcript) return
    const fresh = new Map((transcript.segments ?? []).map((segment) => [segment.segment_id, segment]))
    this.segments = this.segments.map((segment) => fresh.get(segment.segment_id) ?? segment)
    this.#show(transcript)
  }

  async before(): Promise<void> {
    if (this.first === 0 || this.segments.length === 0) return
    const from = Math.max(0, this.first - page)
    await this.#read('before', from - 1, this.first - from)
  }

  async behind(): Promise<void> {
    if (!this.whole) await this.#read('behind', this.last, page)
  }

  /** Makes sure that a position is among what is shown. What is far away takes the place of what was there. */
  async reach(position: number): Promise<void> {
    if (position >= this.first && position <= this.last) return
    if (position < this.first && this.first - position <= page) return this.before()
    if (position > this.last && position - this.last <= page) return this.behind()
    const found = await attempt('Not read', () => api.segmentsAfter(this.id, Math.max(-1, position - page / 2), page))
    if (found?.segments?.length) this.segments = found.segments
  }

  async change(change: api.ConversationChange): Promise<void> {
    const changed = await conversations.change(this.id, change)
    if (changed) this.#show({ ...this.about!, ...changed })
  }

  async rename(change: api.SpeakerChange): Promise<number | null> {
    const result = await attempt('Not renamed', () => api.changeSpeaker(this.id, change))
    if (!result) return null
    // The window may be larger than what one answer holds, so the lines are changed here as well.
    this.segments = this.segments.map((segment) =>
      segment.speaker === change.from ? { ...segment, speaker: change.name, is_user: change.is_user ?? false, ...(change.person_id && { person_id: change.person_id }) } : segment,
    )
    await this.reload()
    return result.changed
  }

  async append(speaker: string, text: string, mine: boolean): Promise<boolean> {
    const began = Date.parse(this.about?.started_at ?? '')
    const start = Number.isFinite(began) ? Math.max(0, (Date.now() - began) / 1000) : undefined
    const segment = { speaker, text, is_user: mine, client_id: freshId(), ...(start !== undefined && { start, end: start }) }
    if (!(await attempt('Not added', () => api.appendSegments(this.id, [segment])))) return false
    await this.#look()
    return true
  }

  async finish(): Promise<void> {
    const finished = await attempt('Not finished', () => api.finishConversation(this.id))
    if (finished) await this.#restarted()
  }

  async reprocess(): Promise<void> {
    const started = await attempt('Not started', () => api.reprocessConversation(this.id))
    if (started) await this.#restarted()
  }

  async #restarted(): Promise<void> {
    await this.reload()
    void this.#follow()
  }

  #show(transcript: Transcript): void {
    this.about = transcript
    this.steps = (transcript.steps ?? []) as StepView[]
  }

  /** Takes in what was said since, while the conversation goes on, and how far it is understood when no journal tells. */
  async #look(): Promise<void> {
    if (document.hidden || this.reading) return
    if (this.about?.status === 'processing' && !this.#following) return this.reload()
    if (!this.live) return
    const found = await api.segmentsAfter(this.id, this.last, page, this.#gone.signal).catch(() => null)
    if (found?.segments?.length) this.#join(found.segments)
    const about = await api.getTranscript(this.id, this.segments.at(-1)?.segment_id, this.#gone.signal).catch(() => null)
    if (!about) return
    this.#show(about)
    if (!this.live) void this.#follow()
  }

  async #read(where: 'before' | 'behind', after: number, limit: number): Promise<void> {
    if (this.reading) return
    this.reading = where
    const found = await attempt('Not read', () => api.segmentsAfter(this.id, after, limit, this.#gone.signal))
    if (found) this.#join(found.segments ?? [])
    this.reading = null
  }

  #join(more: Segment[]): void {
    const known = new Set(this.segments.map((segment) => segment.segment_id))
    this.segments = [...this.segments, ...more.filter((segment) => !known.has(segment.segment_id))].sort((a, b) => a.position - b.position)
  }

  /** Follows the processing while there is some. */
  async #follow(): Promise<void> {
    if (this.#following || this.about?.status !== 'processing') return
    this.#following = true
    try {
      for await (const event of follow<ProgressEvent>((after) => api.processingPath(this.id, after), { after: 0, signal: this.#gone.signal })) {
        this.steps = progress(this.steps, event)
      }
      if (!this.#gone.signal.aborted) await this.reload()
    } catch (error) {
      // Without a journal there is nothing to follow; the steps that are stored are shown.
      if (!(error instanceof Problem)) throw error
    } finally {
      this.#following = false
    }
  }
}
