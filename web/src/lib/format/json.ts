/** JSON for people. Text that is JSON itself is unfolded; very long values are cut, and say so. */
export function pretty(value: unknown, limit = 20_000): string {
  if (value === null || value === undefined) return ''
  let shown = value
  if (typeof value === 'string') {
    try {
      const parsed: unknown = JSON.parse(value)
      if (typeof parsed === 'object' && parsed !== null) shown = parsed
    } catch {
      // Plain words.
    }
  }
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown, null, 2)
  return text.length > limit ? `${text.slice(0, limit)}\n… ${(text.length - limit).toLocaleString()} more characters` : text
}

/** The number of things in a result that is a list, or holds one under `results` or `items`; null for any other. */
export function howMany(value: unknown): number | null {
  if (Array.isArray(value)) return value.length
  if (typeof value !== 'object' || value === null) return null
  const { results, items } = value as { results?: unknown; items?: unknown }
  const list = results ?? items
  return Array.isArray(list) ? list.length : null
}

/** True for {}, [], '' and nothing. */
export function hollow(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
