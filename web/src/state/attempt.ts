import { explain, Problem } from '../lib/api/problem'
import { toasts } from './toast.svelte'

/** Does what a person asked for, and says why when it did not work. Null then; else what `work` gave. */
export async function attempt<T>(failed: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    const why = error instanceof Problem && error.code === 'conflict' ? 'It was changed elsewhere meanwhile. Look again, then repeat it.' : explain(error)
    toasts.show(`${failed}. ${why}`)
    return null
  }
}

/** As `attempt`, for work that gives nothing back. */
export async function succeeds(failed: string, work: () => Promise<unknown>): Promise<boolean> {
  return (await attempt(failed, async () => (await work(), true))) ?? false
}
