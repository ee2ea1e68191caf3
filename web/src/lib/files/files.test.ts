import { describe, expect, it } from 'vitest'
import type { LibraryFile } from '../api/files'
import { fileKinds, kindOf, typesOf } from './kind'
import { placeOfByte, spanOfBytes, spanOfQuote } from './offset'
import { bytes, sentOf } from './size'
import { advance, searchable, stagePart, stageWords } from './stage'

const file = (more: Partial<LibraryFile> = {}): LibraryFile => ({
  file_id: 'f1', name: 'tides.pdf', type: 'application/pdf', size: 1, state: 'in_progress', stage: 'queued', page_count: 0, chunk_count: 0, created_at: '', revision: 1, ...more,
})

describe('the stages of a file', () => {
  it.each<[Partial<LibraryFile>, string]>([
    [{}, 'Waiting to be read'],
    [{ stage: 'extract' }, 'Reading'],
    [{ stage: 'extract', done: 12, total: 340 }, 'Reading page 12 of 340'],
    [{ stage: 'extract', done: 12 }, 'Reading page 12'],
    [{ stage: 'extract', done: 3, total: 9, type: 'application/vnd.ms-powerpoint' }, 'Reading slide 3 of 9'],
    [{ stage: 'index' }, 'Indexing'],
    [{ stage: 'embed', done: 120, total: 900 }, 'Reading for meaning, 120 of 900'],
    [{ state: 'success', stage: 'done' }, ''],
    [{ state: 'failed', stage: 'extract', reason: 'It is encrypted.' }, 'It is encrypted.'],
    [{ state: 'failed', stage: 'extract' }, 'This file could not be read.'],
  ])('%j: %s', (more, words) => expect(stageWords(file(more))).toBe(words))

  it('go forward with the events of the job, and never back', () => {
    const at = (step: string, more = {}) => ({ seq: 1, type: 'progress', step, state: 'running', ...more })
    let now = advance(file(), at('extract', { done: 2, total: 8 }))
    expect([now.stage, stagePart(now), searchable(now)]).toEqual(['extract', 0.25, false])
    expect(advance(now, at('extract', { done: 1, total: 8 }))).toBe(now)
    now = advance(now, at('embed', { done: 0, total: 5 }))
    expect([now.stage, stagePart(now), searchable(now)]).toEqual(['embed', 0, true])
    expect(advance(now, at('extract', { done: 9 }))).toBe(now)
    expect(advance(now, at('dream'))).toBe(now)
    now = advance(now, at('embed', { state: 'failed', detail: 'The disk is full.' }))
    expect(stageWords(now)).toBe('The disk is full.')
    expect(advance(now, at('embed'))).toBe(now)
  })

  it('forget the count of the stage before', () => {
    expect(advance(file({ stage: 'extract', done: 8, total: 8 }), { seq: 2, type: 'progress', step: 'index', state: 'running' })).toEqual(file({ stage: 'index' }))
  })
})

describe('kinds', () => {
  it.each([
    ['application/pdf', 'pdf'], ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'document'], ['application/epub+zip', 'document'],
    ['application/vnd.openxmlformats-officedocument.presentationml.presentation', 'slides'], ['text/csv', 'sheet'], ['text/html; charset=utf-8', 'web'], ['message/rfc822', 'mail'],
    ['image/webp', 'picture'], ['text/markdown', 'text'], ['application/json', 'text'], ['something/else', 'text'],
  ])('%s is %s', (type, kind) => expect(kindOf(type)).toBe(kind))

  it('are filtered by beginnings of their own', () => {
    for (const [kind] of fileKinds) for (const type of typesOf(kind)) expect(kindOf(type)).toBe(kind)
    expect(typesOf('constructor' as never)).toEqual([])
  })
})

describe('sizes', () => {
  it.each([[0, '0 bytes'], [1, '1 byte'], [999, '999 bytes'], [1000, '1.0 KB'], [1536, '1.5 KB'], [10 * 1024, '10 KB'], [1023 * 1024, '1.0 MB'], [3.44 * 1024 ** 2, '3.4 MB'], [1024 ** 3, '1.0 GB']])('%s is %s', (n, text) => expect(bytes(n)).toBe(text))
  it('tell how much has left', () => {
    expect([sentOf(3.1 * 1024 ** 2, 12 * 1024 ** 2), sentOf(2048, 12 * 1024 ** 2), sentOf(99, 10)]).toEqual(['3.1 of 12 MB', '2.0 KB of 12 MB', '10 of 10 bytes'])
  })
})

describe('places', () => {
  const text = 'aé漢😀b'
  it.each([[0, 0], [1, 1], [2, 1], [3, 2], [5, 2], [6, 3], [9, 3], [10, 5], [11, 6], [99, 6]])('byte %s is place %s', (byte, place) => expect(placeOfByte(text, byte)).toBe(place))

  it('agree with what a server counts', () => {
    const all = `${text} “Zürich”, 10 µm\n\n👩‍👧 שלום`
    const encoder = new TextEncoder()
    for (const word of ['Zürich', 'µm', '👩‍👧', 'שלום', 'b “']) {
      const start = encoder.encode(all.slice(0, all.indexOf(word))).length
      const span = spanOfBytes(all, start, start + encoder.encode(word).length)
      expect(all.slice(span.start, span.end)).toBe(word)
    }
  })

  it('of a quotation are found over lines', () => {
    const page = 'One (1)\ntwo   three. Four'
    const span = spanOfQuote(page, '(1) two three.')!
    expect(page.slice(span.start, span.end)).toBe('(1)\ntwo   three.')
    expect([spanOfQuote(page, 'five'), spanOfQuote(page, '  ')]).toEqual([null, null])
  })
})
