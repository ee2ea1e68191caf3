import { Marked, type Token, type TokenizerExtension, type Tokens } from 'marked'
import { mend } from './mend'

export type { Token, Tokens }

/** A citation in the text: [1]. */
export interface CiteToken {
  type: 'cite'
  raw: string
  n: number
}

const cite: TokenizerExtension = {
  name: 'cite',
  level: 'inline',
  start: (src) => /\[\d/.exec(src)?.index,
  tokenizer: (src) => {
    const match = /^\[(\d{1,3})\](?!\()/.exec(src)
    return match ? { type: 'cite', raw: match[0], n: Number(match[1]) } : undefined
  },
}

const marked = new Marked({
  gfm: true,
  breaks: false,
  extensions: [{ ...cite }],
  // HTML is not read at all: undefined says "not here", so that what looks like a tag becomes text.
  tokenizer: { html: () => undefined, tag: () => undefined },
})

/**
 * Reads Markdown into blocks. The page builds its elements from these itself and never sets HTML, so a text
 * cannot bring markup of its own: HTML in it is shown as it was written.
 * Blocks that did not change are the same objects as in `before`, so that only the last one is drawn again.
 */
export function parse(text: string, growing: boolean, before: Token[] = []): Token[] {
  const blocks = read(growing ? mend(text) : text).filter((token) => token.type !== 'space' && token.type !== 'def')
  return blocks.map((block, i) => {
    const old = before[i]
    return old && old.type === block.type && old.raw === block.raw ? old : block
  })
}

/** All blocks, with the spaces between them: together they are the text. */
export const read = (text: string): Token[] => marked.lexer(text)

/** An address that may be linked to; anything else is shown as text. */
export function safeHref(href: string): string | null {
  try {
    const url = new URL(href)
    return ['https:', 'http:', 'mailto:', 'tel:'].includes(url.protocol) ? url.href : null
  } catch {
    return null
  }
}

/** marked leaves entities in text as they are written; browsers only decode them in HTML. */
export function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:(amp|lt|gt|quot|apos|nbsp|hellip|mdash|ndash|copy)|#(\d{1,7})|#x([\da-f]{1,6}));/gi, (raw, name?: string, dec?: string, hex?: string) => {
    if (name) return named[name.toLowerCase()] ?? raw
    const code = dec ? Number(dec) : parseInt(hex!, 16)
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '\uFFFD'
  })
}

const named: Record<string, string> = {
  amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00A0', hellip: '…', mdash: '—', ndash: '–', copy: '©',
}
