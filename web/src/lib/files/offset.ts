/** How many bytes of UTF-8 a code point takes. Half a pair, which cannot be encoded, counts as the character that stands for it. */
const width = (code: number): number => (code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4)

/**
 * The place in a text of the browser (UTF-16) that lies `bytes` bytes into the same text as the server counts it (UTF-8).
 * A place within a character is that character's beginning; one behind the end is the end.
 */
export function placeOfByte(text: string, bytes: number): number {
  let at = 0
  let place = 0
  while (place < text.length) {
    const code = text.codePointAt(place)!
    at += width(code)
    if (at > bytes) break
    place += code > 0xffff ? 2 : 1
  }
  return place
}

/** A span of a text, in UTF-16. */
export interface Span {
  start: number
  end: number
}

export const spanOfBytes = (text: string, start: number, end: number): Span => ({ start: placeOfByte(text, start), end: placeOfByte(text, end) })

/** Where words that were quoted stand in a text, however its spaces and lines are broken; null when they do not. */
export function spanOfQuote(text: string, quote: string): Span | null {
  const words = quote.trim().split(/\s+/).filter(Boolean)
  if (words.length === 0) return null
  const found = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+')).exec(text)
  return found ? { start: found.index, end: found.index + found[0].length } : null
}
