import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Problem, unreachable } from '../lib/api/problem'
import type { Sending, Uploaded } from '../lib/api/uploads'
import { uploads } from './uploads.svelte'

const uploadFile = vi.hoisted(() => {
  // What a window has, and node has not.
  Object.assign(globalThis, { addEventListener: () => {}, removeEventListener: () => {} })
  return vi.fn<(file: File, sending: Sending) => Promise<Uploaded>>()
})
vi.mock('../lib/api/uploads', () => ({ uploadFile }))
vi.mock('./shelf.svelte', () => ({ shelf: { read: async () => null, put: () => {} } }))
vi.mock('./library.svelte', () => ({ library: { arrived: () => {} } }))

const taken: Uploaded = { fileId: 'f1', duplicate: false, file: null }
const busy = new Problem(503, 'busy', 'The server is busy.')
const file = (name: string, size = 100) => new File(['x'.repeat(size)], name)

beforeEach(() => {
  vi.useFakeTimers()
  uploadFile.mockReset()
})
afterEach(() => {
  uploads.clear()
  vi.useRealTimers()
})

describe('an upload', () => {
  it('waits for a network that is gone, however long', async () => {
    uploadFile.mockImplementation(() => Promise.reject(unreachable()))
    const [upload] = uploads.add([file('a.txt')])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(upload!.state).toBe('away')
    expect(uploadFile.mock.calls.length).toBeGreaterThan(5)
    uploadFile.mockResolvedValue(taken)
    await vi.advanceTimersByTimeAsync(20_000)
    expect([upload!.state, upload!.fileId]).toEqual(['stored', 'f1'])
  })

  it('is given up when the server fails again and again, and gets on no more', async () => {
    uploadFile.mockImplementation(() => Promise.reject(busy))
    const [upload] = uploads.add([file('a.txt')])
    await vi.advanceTimersByTimeAsync(120_000)
    expect([upload!.state, upload!.why, uploadFile.mock.calls.length]).toEqual(['failed', 'The server is busy.', 4])
  })

  it('is not given up as long as it gets on', async () => {
    let sent = 0
    uploadFile.mockImplementation(async (_, { progress }) => {
      progress((sent += 10))
      if (sent < 100) throw busy
      return taken
    })
    const [upload] = uploads.add([file('a.txt')])
    await vi.advanceTimersByTimeAsync(120_000)
    expect([upload!.state, uploadFile.mock.calls.length]).toEqual(['stored', 10])
  })

  it('that is refused is not sent again by itself', async () => {
    uploadFile.mockRejectedValueOnce(new Problem(413, 'too_large', 'It is too large.'))
    const [upload] = uploads.add([file('a.txt')])
    await vi.advanceTimersByTimeAsync(60_000)
    expect([upload!.state, upload!.why, uploadFile.mock.calls.length]).toEqual(['failed', 'It is too large.', 1])
    uploadFile.mockResolvedValue(taken)
    uploads.retry(upload!)
    await vi.advanceTimersByTimeAsync(0)
    expect(upload!.state).toBe('stored')
  })

  it('that was stopped while it waited is never sent', async () => {
    const ends: (() => void)[] = []
    uploadFile.mockImplementation(() => new Promise((end) => ends.push(() => end(taken))))
    const [a, b, c, d] = uploads.add(['a', 'b', 'c', 'd'].map((name) => file(name)))
    uploads.stop(d!)
    for (const end of ends) end()
    await vi.advanceTimersByTimeAsync(0)
    expect([a, b, c, d].map((upload) => upload!.state)).toEqual(['stored', 'stored', 'stored', 'stopped'])
    expect(uploadFile).toHaveBeenCalledTimes(3)
  })

  it('counts for all of them with what has left and what is over', async () => {
    const ends: ((taken: Uploaded | Promise<never>) => void)[] = []
    uploadFile.mockImplementation((_, { progress }) => {
      progress(500)
      return new Promise((end) => ends.push(end))
    })
    uploads.add(['a', 'b', 'c', 'd'].map((name) => file(name, 1_000)))
    expect([uploads.tally, uploads.part]).toEqual([{ total: 4, ended: 0, failed: 0 }, 1_500 / 8_000])
    ends[0]!(Promise.reject(new Problem(413, 'too_large', 'It is too large.')))
    ends[1]!(taken)
    await vi.advanceTimersByTimeAsync(0)
    expect([uploads.tally, uploads.part]).toEqual([{ total: 4, ended: 2, failed: 1 }, 5_000 / 8_000])
    uploads.stopAll()
    expect([uploads.tally, uploads.part, uploads.busy]).toEqual([{ total: 4, ended: 4, failed: 1 }, 1, false])
    uploadFile.mockResolvedValue(taken)
    uploads.retryFailed()
    await vi.advanceTimersByTimeAsync(0)
    expect([uploads.tally.failed, uploads.all.map(({ state }) => state)]).toEqual([0, ['stored', 'stored', 'stopped', 'stopped']])
  })

  it('of what a system put into a folder for itself is none', async () => {
    uploadFile.mockResolvedValue(taken)
    expect(uploads.add([file('.DS_Store'), file('Thumbs.db'), file('a.txt')]).map(({ name }) => name)).toEqual(['a.txt'])
  })
})
