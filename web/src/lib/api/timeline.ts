import { getJSON, query } from './http'
import type { TimelineDay } from './records'

/** Days in from ≤ d < until; those with nothing are left out. */
export const getTimeline = (from: Date, until: Date, zone: string, signal?: AbortSignal) =>
  getJSON<{ days: TimelineDay[] }>(`api/timeline${query({ from: from.toISOString(), until: until.toISOString(), zone })}`, signal)
