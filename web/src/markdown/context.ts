import { getContext, setContext } from 'svelte'
import type { Citation } from '../lib/api/types'

export interface Citing {
  citations: () => Citation[]
  /** While an answer grows, a number may come before its source. */
  growing: () => boolean
  open: (citation: Citation, opener: HTMLElement) => void
}

const key = Symbol('citing')

export const setCiting = (citing: Citing) => setContext(key, citing)
export const getCiting = () => getContext<Citing | undefined>(key)
