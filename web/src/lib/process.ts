import type { Step, StepState } from './api/records'
import type { JournalEvent } from './sse/follow'

/** An event of the journal of a conversation's processing. */
export interface ProgressEvent extends JournalEvent {
  step?: string
  state?: string
  done?: number
  total?: number
  detail?: string
}

/** A step as the page shows it; `done` of `total` while it can be counted. */
export interface StepView extends Step {
  done?: number
  total?: number
}

const titles: Record<string, string> = {
  discard: 'Worth keeping',
  structure: 'Title and overview',
  folder: 'Folder',
  metadata: 'People, topics, dates',
  facts: 'Facts',
  tasks: 'Tasks',
  embeddings: 'Search by meaning',
  embed: 'Search by meaning',
}
const order = Object.keys(titles)

export const stepTitle = (name: string): string => titles[name] ?? name.charAt(0).toUpperCase() + name.slice(1)

const states: Record<StepState, string> = { pending: 'To do', running: 'Running', done: 'Done', waiting: 'Waiting for a language model', failed: 'Failed', skipped: 'Not needed' }

export const stateTitle = (step: StepView): string => {
  if (step.state === 'running' && step.total) return `${(step.done ?? 0).toLocaleString()} of ${step.total.toLocaleString()}`
  if (step.state === 'failed' && step.retry_at) return 'Failed, will be tried again'
  return states[step.state]
}

/** Takes one event into the steps, which stay in the order in which they are done. */
export function progress(steps: StepView[], event: ProgressEvent): StepView[] {
  if (event.type !== 'progress' || !event.step || !(event.state && event.state in states)) return steps
  const { step: name, done, total, detail = '' } = event
  const next: StepView = { ...steps.find((step) => step.name === name), name, state: event.state as StepState, detail }
  if (done !== undefined) next.done = done
  if (total !== undefined) next.total = total
  const rank = (step: StepView) => (order.indexOf(step.name) + 99) % 99
  return [...steps.filter((step) => step.name !== name), next].sort((a, b) => rank(a) - rank(b))
}

export type Health = 'working' | 'waiting' | 'failed' | 'done'

/** What is to be said of all the steps together. */
export function health(steps: StepView[]): Health {
  const any = (state: StepState) => steps.some((step) => step.state === state)
  if (any('running') || any('pending')) return 'working'
  if (any('failed')) return 'failed'
  return any('waiting') ? 'waiting' : 'done'
}
