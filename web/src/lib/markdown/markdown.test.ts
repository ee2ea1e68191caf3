import { describe, expect, it } from 'vitest'
import { mend } from './mend'
import { decode, parse, safeHref, type Token } from './parse'

describe('mend', () => {
  it.each([
    ['Half **bold', 'Half **bold**'],
    ['Half **bold ', 'Half **bold** '],
    ['Half *it', 'Half *it*'],
    ['Half **', 'Half '],
    ['Half **bold*', 'Half **bold**'],
    ['**a** and *b*', '**a** and *b*'],
    ['2 * 3 * 4 = 24', '2 * 3 * 4 = 24'],
    ['* item **x', '* item **x**'],
    ['Code `x', 'Code `x`'],
    ['Code `', 'Code '],
    ['`a*b` c', '`a*b` c'],
    ['See [1', 'See '],
    ['See [1]', 'See [1]'],
    ['See [the site](https://exa', 'See '],
    ['See [the site', 'See '],
    ['See [x](y) and', 'See [x](y) and'],
    ['Title\n-', 'Title'],
    ['Title\n--', 'Title'],
    ['| a | b |\n|--', '| a | b |'],
    ['Steps:\n1', 'Steps:'],
    ['Done\n\n**x', 'Done\n\n**x**'],
    ['```js\nlet a = [1', '```js\nlet a = [1'],
    ['```\na\n```\n**b', '```\na\n```\n**b**'],
  ])('%j reads as %j', (text, expected) => expect(mend(text)).toBe(expected))

  it('leaves a whole text alone', () => {
    const text = '# T\n\nA **b** *c* `d` [1] [e](https://f.test).\n\n- g\n- h\n\n| a | b |\n|---|---|\n| 1 | 2 |\n'
    expect(mend(text)).toBe(text)
  })
})

describe('parse', () => {
  const types = (tokens: Token[]) => tokens.map((token) => token.type)

  it('reads blocks', () => {
    expect(types(parse('# a\n\nb\n\n- c\n\n> d\n\n```js\ne\n```\n\n|f|\n|-|\n|g|\n\n---', false))).toEqual(['heading', 'paragraph', 'list', 'blockquote', 'code', 'table', 'hr'])
  })

  it('reads citations, but not links, footnotes or long numbers', () => {
    const inline = (text: string) => (parse(text, false)[0] as { tokens: Token[] }).tokens.map((token) => (token.type === 'cite' ? (token as unknown as { n: number }).n : token.type))
    expect(inline('It leaks [1][2].')).toEqual(['text', 1, 2, 'text'])
    expect(inline('[1](https://x.test)')).toEqual(['link'])
    expect(inline('`[1]`')).toEqual(['codespan'])
    expect(inline('[2024]')).toEqual(['text'])
  })

  it('keeps blocks that did not change', () => {
    const first = parse('One.\n\nTwo', true)
    const second = parse('One.\n\nTwo and more.\n\nThree', true, first)
    expect(second[0]).toBe(first[0])
    expect(second[1]).not.toBe(first[1])
  })

  it('never loses a letter as a text grows', () => {
    const text = 'A **b** and `c` [1].\n\n1. d\n2. e\n\n```js\nf(1)\n```\n'
    let blocks: Token[] = []
    for (let i = 1; i <= text.length; i++) blocks = parse(text.slice(0, i), true, blocks)
    expect(blocks).toEqual(parse(text, false))
  })

  it('reads markup as words', () => {
    expect(types(parse('<script>x</script> **b**\n\n<div>', false))).toEqual(['paragraph', 'paragraph'])
    expect((parse('a <b>c</b> [d](https://e.test)', false)[0] as { tokens: Token[] }).tokens.map((token) => token.raw)).toEqual(['a <b>c</b> ', '[d](https://e.test)'])
  })
})

describe('safeHref', () => {
  it.each(['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', '/relative', '#x', 'file:///etc/passwd', ''])('refuses %j', (href) => expect(safeHref(href)).toBeNull())
  it.each(['https://a.test/', 'http://a.test/', 'mailto:a@b.test', 'tel:1'])('takes %j', (href) => expect(safeHref(href)).toBe(href))
})

describe('decode', () => {
  it('turns entities into letters once', () => {
    expect(decode('a &amp; b &#8212; c &#x27; &amp;lt; &#0; &bogus;')).toBe('a & b — c \' &lt; \uFFFD &bogus;')
  })
})
