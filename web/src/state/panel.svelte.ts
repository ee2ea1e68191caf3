import type { Citation } from '../lib/api/types'

/** The sources at the right: those of one answer, one of them open. */
class SourcePanel {
  citations = $state.raw<Citation[]>([])
  index = $state(0)
  #opener: HTMLElement | null = null

  current = $derived<Citation | null>(this.citations[this.index] ?? null)

  /** Opens one of the citations, or what is like one and is not among them. */
  open(citations: Citation[], citation: Citation, opener: HTMLElement | null): void {
    const index = citations.indexOf(citation)
    this.citations = index < 0 ? [...citations, citation] : citations
    this.index = index < 0 ? citations.length : index
    this.#opener = opener
  }

  step(by: number): void {
    this.index = (this.index + by + this.citations.length) % this.citations.length
  }

  /** Closes, and gives the focus back to where it came from. */
  close(): void {
    if (!this.current) return
    this.citations = []
    const opener = this.#opener
    this.#opener = null
    if (opener?.isConnected) opener.focus()
  }
}

export const panel = new SourcePanel()
