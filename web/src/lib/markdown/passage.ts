import type { Span } from '../files/offset'
import { parse, read, type Token, type Tokens } from './parse'

/** What the parts of a text carry that lie within the passage. */
export interface Marked {
  marked?: boolean
}
/** A block of code is drawn as one; its parts tell what of it lies within. */
export interface CodeParts {
  parts?: { text: string; marked: boolean }[] | undefined
}

/** Two noncharacters of Unicode, which no text may contain, stand for the borders while Markdown is read. */
const opening = '\uFDD0'
const closing = '\uFDD1'
const borders = /([\uFDD0\uFDD1])/

/**
 * Reads a page's Markdown, with a passage of it marked wherever it runs: through headings, lists, cells and emphasis.
 * Numbers in brackets are the document's own here, and stay text.
 */
export function parsePassage(text: string, span: Span | null): Token[] {
  const clean = text.replace(/[\uFDD0\uFDD1]/g, '\uFFFD')
  const plain = new Marker()
  const unmarked = plain.all(parse(clean, false))
  const inner = span && within(clean, span)
  if (!inner) return unmarked
  const { start, end } = inner
  const marker = new Marker()
  const tokens = marker.all(parse(clean.slice(0, start) + opening + clean.slice(start, end) + closing + clean.slice(end), false))
  // A border that lies in an address or in the middle of a sign is swallowed, or changes what is read: then whole blocks are marked.
  const same = marker.whole && marker.drawn === plain.drawn && kinds(tokens) === kinds(unmarked)
  return same ? tokens : byBlock(clean, inner)
}

const kinds = (tokens: Token[]): string => tokens.map(({ type }) => type).join()

/**
 * Draws the borders in to where words begin and end, so that they do not stand before a `##`, in a `|` or after a fence,
 * where they would change what these mean.
 */
function within(text: string, { start, end }: Span): Span | null {
  const lead = /^(?:(?:`{3,}|~{3,})[^\n]*\n|[-=*_]{3,}[ \t]*\n|\s+|>|#{1,6}(?=\s)|[-*+](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s)|\||[*_~`]+)+/.exec(text.slice(start, end))
  const from = start + (lead?.[0].length ?? 0)
  let to = end
  for (let before = -1; before !== to; ) {
    before = to
    to = from + text.slice(from, to).replace(/[\s|*_~`]+$/, '').length
    to = from + text.slice(from, to).replace(/\n[-=:|+ \t]+$/, '').length
  }
  return from < to ? { start: from, end: to } : null
}

function byBlock(text: string, { start, end }: Span): Token[] {
  let at = 0
  return read(text).flatMap((block) => {
    const from = at
    at += block.raw.length
    if (block.type === 'space' || block.type === 'def') return []
    return new Marker(from < end && at > start).all([block])
  })
}

class Marker {
  /** What is drawn, marked or not, and what is linked to. */
  drawn = ''
  #opened = false
  #closed = false

  constructor(private inside = false) {}

  /** True when both borders were met. */
  get whole(): boolean {
    return this.#opened && this.#closed
  }

  all(tokens: Token[]): Token[] {
    return tokens.flatMap((token) => this.#one(token))
  }

  #one(token: Token): Token[] {
    switch (token.type) {
      case 'table': {
        const { header, rows } = token as Tokens.Table
        const cells = (row: Tokens.TableCell[]) => row.map((cell) => ({ ...cell, tokens: this.all(cell.tokens) }))
        return [{ ...token, header: cells(header), rows: rows.map(cells) } as Token]
      }
      case 'list':
        return [{ ...token, items: (token as Tokens.List).items.map((item) => ({ ...item, tokens: this.all(item.tokens) })) } as Token]
      case 'code':
        return [{ ...token, parts: this.#cut((token as Tokens.Code).text) } as Token]
      case 'text':
      case 'escape':
      case 'codespan':
        return hasTokens(token) ? [this.#around(token)] : this.#cut((token as Tokens.Text).text).map((part) => ({ ...token, ...part, raw: part.text }) as Token)
      case 'cite':
        return this.#cut(token.raw).map((part) => ({ type: 'text', raw: part.text, ...part }) as Token)
      case 'image':
        return this.#cut((token as Tokens.Image).text).map((part) => ({ type: 'text', raw: part.text, ...part }) as Token)
      default:
        return [hasTokens(token) ? this.#around(token) : token]
    }
  }

  #around(token: Token): Token {
    const inner = this.all((token as { tokens: Token[] }).tokens)
    if (!('href' in token)) return { ...token, tokens: inner } as Token
    const href = String(token.href).replace(/[\uFDD0\uFDD1]/g, '')
    this.drawn += href
    return { ...token, href, tokens: inner } as Token
  }

  #cut(text: string): { text: string; marked: boolean }[] {
    const parts: { text: string; marked: boolean }[] = []
    for (const part of text.split(borders)) {
      if (part === opening) this.inside = this.#opened = true
      else if (part === closing) {
        this.inside = false
        this.#closed = true
      } else if (part !== '') {
        this.drawn += part
        parts.push({ text: part, marked: this.inside })
      }
    }
    return parts
  }
}

const hasTokens = (token: Token): boolean => 'tokens' in token && Array.isArray(token.tokens) && token.tokens.length > 0
