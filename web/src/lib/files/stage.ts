import type { FileStage, LibraryFile } from '../api/files'
import type { ProgressEvent } from '../process'
import { pageWord } from './kind'

const order: readonly FileStage[] = ['queued', 'extract', 'index', 'embed', 'done']

type Staged = Pick<LibraryFile, 'state' | 'stage' | 'done' | 'total' | 'reason' | 'type'>

/** What is being done to a file, or why it is not ready, in words; nothing is said of one that is ready. */
export function stageWords({ state, stage, done, total, reason, type }: Staged): string {
  if (state === 'success') return ''
  if (state === 'failed') return reason || 'This file could not be read.'
  const of = total ? `${(done ?? 0).toLocaleString()} of ${total.toLocaleString()}` : done ? done.toLocaleString() : ''
  switch (stage) {
    case 'extract':
      return of ? `Reading ${pageWord(type)} ${of}` : 'Reading'
    case 'index':
      return 'Indexing'
    case 'embed':
      return of ? `Reading for meaning, ${of}` : 'Reading for meaning'
    case 'done':
      return 'Nearly ready'
    default:
      return 'Waiting to be read'
  }
}

/** How far its stage is, 0 to 1; null when that is not known. */
export const stagePart = ({ state, done, total }: Staged): number | null => (state === 'in_progress' && total ? Math.min(1, (done ?? 0) / total) : null)

/** True when a question about it can be answered, if only by its words. */
export const searchable = ({ state, stage }: Pick<LibraryFile, 'state' | 'stage'>): boolean => state === 'success' || (state === 'in_progress' && (stage === 'embed' || stage === 'done'))

/** Takes one event of a file's job into the file. It never goes back: an event that comes late, or once more, changes nothing. */
export function advance<T extends Staged>(file: T, event: ProgressEvent): T {
  if (event.type !== 'progress' || file.state !== 'in_progress') return file
  const stage = order.find((name) => name === event.step)
  if (!stage || order.indexOf(stage) < order.indexOf(file.stage)) return file
  if (stage === file.stage && event.state === 'running' && (event.done ?? 0) < (file.done ?? 0)) return file
  const { done: _, total: __, ...rest } = file
  if (event.state === 'failed') return { ...(rest as T), state: 'failed', stage, ...(event.detail && { reason: event.detail }) }
  return { ...(rest as T), stage, ...(event.done !== undefined && { done: event.done }), ...(event.total ? { total: event.total } : {}) }
}
