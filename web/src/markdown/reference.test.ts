import { describe, expect, it } from 'vitest'
import type { Citation } from '../lib/api/types'
import { pageCited } from './reference'

const cited = (file_id: string, page: number, chunk_id = `${file_id}-${page}`): Citation => ({ n: 0, kind: 'page', file_id, page, chunk_id, title: `${file_id}.pdf`, quote: 'Low water' })
const citations = [cited('f1', 5), cited('f1', 7), cited('f2', 1), { n: 1, kind: 'conversation', conversation_id: 'f3', title: 'A talk', quote: '' }]
const chunk = (label: string, target: string) => pageCited(label, target, citations, false)?.citation.chunk_id

describe('a reference', () => {
  it('is to the page of its number', () => {
    expect([chunk('5', 'f1'), chunk('p. 7', 'f1'), chunk('1', 'f2'), chunk('iv', 'f2')]).toEqual(['f1-5', 'f1-7', 'f2-1', 'f2-1'])
  })
  it('to another page of a cited file opens that page', () => {
    expect(pageCited('9', 'f1', citations, false)?.citation).toEqual({ n: 0, kind: 'page', file_id: 'f1', page: 9, title: 'f1.pdf', quote: '' })
  })
  it('is no other link', () => {
    expect([pageCited('5', 'f9', citations, false), pageCited('5', 'https://f1/', citations, true), pageCited('1', 'f3', citations, false), pageCited('0', 'f1', [cited('f1', 2)], false)]).toEqual([null, null, null, null])
  })
  it('waits for its source while an answer grows', () => {
    expect(pageCited('5', 'f9', citations, true)).toMatchObject({ label: '5', known: false })
  })
})
