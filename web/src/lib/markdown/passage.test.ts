import { describe, expect, it } from 'vitest'
import type { Token } from './parse'
import { parsePassage } from './passage'

/** Walks whatever a token holds, and gives what is drawn of it: text, and whether it is marked. */
function* drawn(value: unknown): Generator<[text: string, marked: boolean]> {
  if (Array.isArray(value)) for (const one of value) yield* drawn(one)
  else if (typeof value === 'object' && value !== null) {
    const token = value as Record<string, unknown>
    if (Array.isArray(token.parts)) for (const { text, marked } of token.parts as { text: string; marked: boolean }[]) yield [text, marked]
    else if (token.type === 'table') yield* drawn([token.header, ...(token.rows as unknown[])])
    else if (Array.isArray(token.items)) yield* drawn(token.items)
    else if (Array.isArray(token.tokens) && token.tokens.length > 0) yield* drawn(token.tokens)
    else if (typeof token.text === 'string' && token.type !== 'paragraph') yield [token.text, token.marked === true]
  }
}
const shown = (tokens: Token[], marked: boolean) => [...drawn(tokens)].filter((part) => !marked || part[1]).map(([text]) => text).join('|')
const types = (tokens: Token[]) => tokens.map(({ type }) => type)

const page = `# Tides of the *bay*

The tide **rises** twice a day, see [12].

- spring tide, at *new* moon
- neap tide

| Port | Range |
|------|------:|
| Vinga | 0.3 m |
| Brest | 6.9 m |

\`\`\`
h = a cos(wt)
k = 2
\`\`\`

Last words, at https://tides.example/a_b.
`
const span = (from: string, to = from) => ({ start: page.indexOf(from), end: page.indexOf(to) + to.length })
const kinds = ['heading', 'paragraph', 'list', 'table', 'code', 'paragraph']

describe('a passage', () => {
  it.each([
    ['words', span('rises'), 'rises'],
    ['a heading with its mark', span('# Tides of the *bay*'), 'Tides of the |bay'],
    ['from emphasis to the end of a sentence', span('**rises', '[12].'), 'rises| twice a day, see |[12]|.'],
    ['an item with its mark', span('- spring', 'moon'), 'spring tide, at |new| moon'],
    ['over items', span('new', 'neap'), 'new| moon|neap'],
    ['a row with its bars', span('| Brest | 6.9 m |'), 'Brest|6.9 m'],
    ['a table as far as its rule', span('| Port', '------:|'), 'Port|Range'],
    ['a whole table', span('| Port', '6.9 m |'), 'Port|Range|Vinga|0.3 m|Brest|6.9 m'],
    ['a fence', span('```\nh', 'wt)'), 'h = a cos(wt)'],
    ['to the end of a fence', span('k = 2', 'k = 2\n```'), 'k = 2'],
    ['over everything', { start: 0, end: page.length }, shown(parsePassage(page, null), false)],
  ])('of %s is marked', (_, where, expected) => {
    const tokens = parsePassage(page, where)
    expect(shown(tokens, true)).toBe(expected)
    expect(types(tokens)).toEqual(kinds)
  })

  it('changes nothing of what is drawn, wherever its borders lie', () => {
    const plain = shown(parsePassage(page, null), false).replaceAll('|', '')
    for (let start = 0; start < page.length; start += 3) {
      for (const length of [1, 7, 40, 200]) {
        const tokens = parsePassage(page, { start, end: Math.min(page.length, start + length) })
        expect(shown(tokens, false).replaceAll('|', ''), `from ${start}, ${length} long`).toBe(plain)
        expect(types(tokens)).toEqual(kinds)
      }
    }
  })

  it('marks nothing without words', () => {
    expect(shown(parsePassage(page, { start: 5, end: 5 }), true)).toBe('')
    expect(shown(parsePassage('a\n\n---\n\nb', { start: 3, end: 6 }), true)).toBe('')
    expect(shown(parsePassage('', { start: 0, end: 9 }), false)).toBe('')
  })

  it('marks the block when its border lies in an address', () => {
    const text = 'See [the site](https://tides.example/long) first.\n\nThen go.'
    expect(shown(parsePassage(text, { start: 25, end: 48 }), true)).toBe('See |the site| first.')
  })

  it('leaves addresses as they are', () => {
    const tokens = parsePassage('At https://tides.example/a now.', { start: 3, end: 26 })
    expect(JSON.stringify(tokens)).toContain('"href":"https://tides.example/a"')
    expect(shown(tokens, true)).toBe('https://tides.example/a')
  })
})
