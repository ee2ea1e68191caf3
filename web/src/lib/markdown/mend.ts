/**
 * Makes the end of a text that is still growing read as it will when it is whole, so that nothing flickers:
 * half a link or a half citation is held back, open emphasis and code are closed, and a line of dashes that
 * may become a list, a rule or a table is not yet taken for a heading's underline.
 */
export function mend(text: string): string {
  if (insideFence(text)) return text
  const at = text.lastIndexOf('\n\n') + 1
  const head = text.slice(0, at)
  let tail = text.slice(at)
  tail = tail.replace(/\n[ \t]*(?:[-=*+_]+|[-:| \t]+|\d{1,9}[.)]?|#{1,6}|`{1,2}|~{1,2})[ \t]*$/, '')
  tail = tail.replace(/!?\[[^\][\n]*(?:\](?:\([^)\n]*)?)?$/, (open) => (/^\[\d{1,3}\]$/.test(open) ? open : ''))
  return head + close(tail)
}

/** True when the text ends within a block of code. */
function insideFence(text: string): boolean {
  let fence = ''
  for (const line of text.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line)
    if (!mark) continue
    const [, run = '', rest = ''] = mark
    if (fence === '') fence = run
    else if (run[0] === fence[0] && run.length >= fence.length && rest.trim() === '') fence = ''
  }
  return fence !== ''
}

/** Closes what is open in the last paragraph; a mark with nothing behind it yet is held back. */
function close(tail: string): string {
  const code = /`+/g
  let open = ''
  let from = 0
  let outside = ''
  let end = 0
  for (const match of tail.matchAll(code)) {
    if (open === '') {
      outside += tail.slice(end, match.index)
      open = match[0]
      from = match.index
    } else if (match[0] === open) {
      open = ''
      end = match.index + match[0].length
    }
  }
  if (open !== '') return tail.slice(from + open.length).trim() === '' ? tail.slice(0, from) : tail + open
  outside += tail.slice(end)
  const stars = outside.replace(/^[ \t]*\*[ \t]/gm, '').replace(/\\\*/g, '')
  const strong = (stars.match(/\*\*/g)?.length ?? 0) % 2 === 1
  const emphasis = (stars.replace(/\*\*/g, '').match(/(?<![\s*])\*|\*(?![\s*])/g)?.length ?? 0) % 2 === 1
  const marks = (emphasis ? '*' : '') + (strong ? '**' : '')
  if (marks === '') return tail
  const bare = /\*+$/.exec(tail)
  if (bare) return bare[0].length === 1 && strong ? `${tail}*` : tail.slice(0, bare.index)
  const space = /\s*$/.exec(tail)!
  return tail.slice(0, space.index) + marks + space[0]
}
