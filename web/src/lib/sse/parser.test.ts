import { describe, expect, it } from 'vitest'
import { EventParser, type ServerEvent } from './parser'

function parse(...pieces: string[]): ServerEvent[] {
  const parser = new EventParser()
  return pieces.flatMap((piece) => parser.push(piece))
}

describe('EventParser', () => {
  it('reads id, event and data', () => {
    expect(parse('id: 4\nevent: text.delta\ndata: {"a":1}\n\n')).toEqual([{ id: '4', event: 'text.delta', data: '{"a":1}' }])
  })

  it('joins several data lines and takes off one space only', () => {
    expect(parse('data:  a\ndata:b\ndata\n\n')).toEqual([{ id: '', event: 'message', data: ' a\nb\n' }])
  })

  it('skips comments, unknown fields and events without data', () => {
    expect(parse(': ping\n\nretry: 10\nfoo: bar\n\nevent: x\n\ndata: y\n\n')).toEqual([{ id: '', event: 'message', data: 'y' }])
  })

  it.each(['\n', '\r', '\r\n'])('ends lines with %j', (end) => {
    const text = ['id: 1', 'data: a', 'data: b', '', 'data: c', '', ''].join(end)
    expect(parse(text).map((event) => event.data)).toEqual(['a\nb', 'c'])
  })

  it('gives the same events however the stream is cut', () => {
    const text = '\uFEFF: ping\r\n\r\nid: 1\r\nevent: a\r\ndata: {"t":"x: y"}\r\n\r\nid: 2\rdata: two\r\rid: 3\ndata: thrée\n\n'
    const whole = parse(text)
    expect(whole).toHaveLength(3)
    for (let i = 0; i <= text.length; i++) {
      for (let j = i; j <= text.length; j += 5) {
        expect(parse(text.slice(0, i), text.slice(i, j), text.slice(j))).toEqual(whole)
      }
    }
    expect(parse(...text)).toEqual(whole)
  })

  it('drops what no blank line ended', () => {
    expect(parse('data: a\n\ndata: b\n')).toHaveLength(1)
  })
})
