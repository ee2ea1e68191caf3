import { describe, expect, it } from 'vitest'
import { plainLine } from './plain'

describe('a line of words', () => {
  it.each([
    ['## 2. Reading a *gauge*', '2. Reading a gauge'],
    ['- one\n- **two**\n> three', 'one two three'],
    ['| A | B |\n|---|---:|\n| −1 | snake_case |', 'A B −1 snake_case'],
    ['see [12] and [the site](https://x.test/)', 'see [12] and the site'],
    ['```\na = 1 - 2\n```', 'a = 1 - 2'],
    ['10 - 3, _so_ it is', '10 - 3, so it is'],
  ])('%j reads %j', (text, line) => expect(plainLine(text)).toBe(line))
})
