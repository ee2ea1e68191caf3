import { describe, expect, it } from 'vitest'
import { readReceipt, receiptIn, withoutReceipt } from './receipt'

const whole = {
  query: 'budget last week', terms: ['budget'], phrases: [], window: { from: '2026-03-02T00:00:00Z', until: '2026-03-09T00:00:00Z', words: 'last week' },
  filters: { people: ['john'], kinds: [], starred: false }, dropped: [{ what: 'people: john', why: 'nobody of this name' }],
  candidates: [{ title: 'Review', text: 'The budget is fine', words: 0.8, meaning: 0.4, neighbour: 0, session: 0.1, score: 1.3 }, { title: 'x', text: '', score: 0.1, dropped: 'below the threshold' }],
}

describe('receipts', () => {
  it('say what was searched, what was dropped and how much each counts', () => {
    const receipt = readReceipt(whole)!
    expect(receipt.filters).toEqual([{ name: 'people', values: ['john'] }])
    expect(receipt.candidates[0]!.parts).toEqual([{ name: 'words', value: 0.8 }, { name: 'meaning', value: 0.4 }, { name: 'conversation', value: 0.1 }])
    expect(receipt.candidates.map(({ dropped }) => dropped)).toEqual(['', 'below the threshold'])
    expect(receipt.window?.words).toBe('last week')
  })

  it('are found in what a tool answered, as JSON and as text', () => {
    expect(receiptIn({ results: [], receipt: whole })?.query).toBe('budget last week')
    expect(receiptIn(JSON.stringify({ receipt: whole }))?.terms).toEqual([{ word: 'budget', passages: null }])
    expect([receiptIn('words'), receiptIn(null), receiptIn([]), receiptIn({ receipt: 3 })]).toEqual([null, null, null, null])
  })

  it('are left out where the result itself is shown', () => {
    expect(withoutReceipt(JSON.stringify({ results: [1], receipt: whole }))).toEqual({ results: [1] })
    expect([withoutReceipt('words'), withoutReceipt([1])]).toEqual(['words', [1]])
  })

  it('may name things by where they are, and count', () => {
    const receipt = readReceipt({
      query: 'keys', terms: [{ word: 'keys', passages: 12 }], dropped: [{ filter: 'people', reason: 'nothing fits it' }], considered: 1, refused: 0, words_only: true,
      candidates: [{ kind: 'conversation', conversation_id: 'c1', ref: 'c1.4', score: 2, words: 1, cover: 0.5 }],
    })!
    expect(receipt.terms).toEqual([{ word: 'keys', passages: 12 }])
    expect(receipt.dropped).toEqual([{ what: 'people', why: 'nothing fits it' }])
    expect(receipt.notes).toEqual(['1 passage looked at.', 'Only words were compared, not meanings.'])
    expect(receipt.candidates[0]).toMatchObject({ kind: 'conversation', conversationId: 'c1', ref: 'c1.4', parts: [{ name: 'words', value: 1 }, { name: 'coverage', value: 0.5 }] })
  })

  it('may have any shape', () => {
    expect([readReceipt(null), readReceipt({}), readReceipt('{'), readReceipt([1]), readReceipt({ window: {}, candidates: 'many' })]).toEqual([null, null, null, null, null])
    const odd = readReceipt({ terms: [1, null, {}], candidates: [null, 4, { score: 'high', words: NaN, dropped: true }], dropped: ['x'], filters: ['people'], window: { from: '0001-01-01T00:00:00Z' } })!
    expect(odd).toEqual({ query: '', terms: [{ word: '1', passages: null }], phrases: [], window: null, filters: [{ name: 'people', values: [] }], dropped: [], notes: [], candidates: [{ kind: '', conversationId: '', ref: '', title: '', text: '', score: 0, parts: [], dropped: 'dropped' }] })
  })
})
