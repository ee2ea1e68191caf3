/** What a file on its way is doing, as its row shows it. */
export type TransferState = 'waiting' | 'sending' | 'away' | 'stopped' | 'failed' | 'done'

/** All files that are on their way, were, or will be: what the head of their list tells, and what can be done with them together. */
export interface Transfers {
  /** True while one of them is pending. */
  readonly busy: boolean
  /** How far all of them are, 0 to 1. */
  readonly part: number
  readonly tally: { total: number; ended: number; failed: number }
  stopAll(): void
  retryFailed(): void
  /** Takes those that are over off the list. */
  clear(): void
}
