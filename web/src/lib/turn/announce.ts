/**
 * What of a growing answer a screen reader should say next. Whole sentences or lines only, and not before there is
 * something worth an interruption, so that speech does not stumble behind every word.
 */
export function nextToSay(text: string, said: number, done: boolean): { words: string; said: number } {
  if (said > text.length) return { words: '', said: text.length }
  const fresh = text.slice(said)
  const end = done ? fresh.length : lastSentenceEnd(fresh)
  if (end === 0 || (!done && end < 40)) return { words: '', said }
  return { words: plain(fresh.slice(0, end)), said: said + end }
}

function lastSentenceEnd(text: string): number {
  let end = 0
  for (const match of text.matchAll(/[.!?:…]["”’)\]]*(?=\s)|\n/gu)) end = match.index + match[0].length
  return end
}

/** Markdown without its marks. */
function plain(text: string): string {
  return text
    .replace(/```[^\n]*\n?/g, ' ')
    .replace(/\[(\d{1,3})\]/g, ' ')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\|)[ \t]*/gm, '')
    .replace(/[*_`~|]+/g, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,;:!?])/g, '$1')
    .trim()
}
