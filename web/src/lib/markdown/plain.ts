/** Markdown as one line of words: its signs say nothing where it is only quoted. */
export function plainLine(text: string): string {
  return text
    .replace(/^[ \t]*(?:[-*+]|#{1,6}|>|\|?[ \t]*:?-{3,}[-:| \t]*$)[ \t]?/gm, '')
    .replace(/\[([^\]]+)\]\([^)]*\)/g, '$1')
    .replace(/[*`|]+|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
