import { describe, expect, it } from 'vitest'
import { nextToSay } from './announce'

describe('nextToSay', () => {
  it('waits for a whole sentence that is long enough', () => {
    expect(nextToSay('You spoke with Maya about', 0, false).words).toBe('')
    expect(nextToSay('Yes. ', 0, false).words).toBe('')
    const text = 'You spoke with Maya about the boat on Tuesday. She sa'
    expect(nextToSay(text, 0, false)).toEqual({ words: 'You spoke with Maya about the boat on Tuesday.', said: 46 })
  })

  it('says everything once, in order, whatever the pieces', () => {
    const text = 'You spoke with **Maya** about the boat [1]. She said that the hull is sound!\n\n- It leaks\n- It floats'
    let said = 0
    const words: string[] = []
    for (let end = 1; end <= text.length; end += 3) {
      const next = nextToSay(text.slice(0, end), said, false)
      said = next.said
      if (next.words) words.push(next.words)
    }
    words.push(nextToSay(text, said, true).words)
    expect(words.join(' ')).toBe('You spoke with Maya about the boat. She said that the hull is sound! It leaks It floats')
    expect(words.length).toBeLessThan(5)
  })

  it('does not repeat itself when the text got shorter', () => {
    expect(nextToSay('short', 40, true)).toEqual({ words: '', said: 5 })
  })
})
