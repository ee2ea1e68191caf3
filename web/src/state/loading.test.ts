import { expect, it } from 'vitest'
import { Problem } from '../lib/api/problem'
import { Loading } from './loading.svelte'

const settled = () => new Promise((later) => setTimeout(later))

it('is busy until there is an answer, and says why there is none', async () => {
  const loading = new Loading()
  loading.run(async () => {})
  expect(loading.busy).toBe(true)
  await settled()
  expect([loading.busy, loading.error]).toEqual([false, null])
  loading.run(() => Promise.reject(new Problem(503, 'busy', 'The server is busy.')))
  await settled()
  expect([loading.busy, loading.error]).toEqual([false, 'The server is busy.'])
  loading.run(async () => {})
  await settled()
  expect(loading.error).toBeNull()
})

it('hears no more of a question that was stopped', async () => {
  const loading = new Loading()
  let fail = (_: Error) => {}
  let first: AbortSignal | undefined
  const stop = loading.run((signal) => ((first = signal), new Promise((_, reject) => (fail = reject))))
  stop()
  expect([loading.busy, first?.aborted]).toEqual([false, true])
  loading.run(() => new Promise(() => {}))
  fail(new Error('aborted'))
  await settled()
  expect([loading.busy, loading.error]).toEqual([true, null])
})
