/** Cuts a text where the words of a search occur in it, so that they can be marked. */
export function marked(text: string, search: string): { text: string; hit: boolean }[] {
  const words = [...new Set(search.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? [])].sort((a, b) => b.length - a.length)
  if (words.length === 0) return [{ text, hit: false }]
  const parts = text.split(new RegExp(`((?<![\\p{L}\\p{N}])(?:${words.join('|')})[\\p{L}\\p{N}]*)`, 'giu'))
  return parts.map((part, i) => ({ text: part, hit: i % 2 === 1 })).filter((part) => part.text !== '')
}

/** "Maya, Jonas and 2 others" */
export function names(all: string[], most = 3): string {
  const shown = all.length > most ? [...all.slice(0, most - 1), `${all.length - most + 1} others`] : all
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

export const count = (n: number, one: string, many = `${one}s`) => `${n.toLocaleString()} ${n === 1 ? one : many}`
