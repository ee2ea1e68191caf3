export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target instanceof HTMLInputElement) return !/^(checkbox|radio|button|submit|file|range)$/.test(target.type)
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)
}

/**
 * A handler that does what the key stands for, unless somebody is typing, a dialog is open, another key is held with
 * it, or the key was taken already. Letters are told apart by their case.
 */
export function onKeys(actions: Record<string, (event: KeyboardEvent) => void>) {
  return (event: KeyboardEvent) => {
    // Not every keyboard has these within reach.
    const key = Object.hasOwn(actions, event.key) ? event.key : ({ Delete: '#', PageUp: '[', PageDown: ']' }[event.key] ?? '')
    const action = Object.hasOwn(actions, key) ? actions[key] : undefined
    if (!action || event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    if (typing(event.target) || document.querySelector('dialog[open]')) return
    event.preventDefault()
    remember()
    action(event)
  }
}

/** Where in the list the focus was when a key was last pressed: what stood there may be gone since. */
let place = -1
globalThis.addEventListener?.('hashchange', () => (place = -1))

const items = () => [...document.querySelectorAll<HTMLElement>('main [data-item]')].filter((item) => item.checkVisibility())

function remember(): void {
  const here = document.activeElement?.closest('[data-row]')?.querySelector<HTMLElement>('[data-item]')
  if (here) place = items().indexOf(here)
}

/** Moves the focus among the things of the list that is shown: `by` 1 is the next, −1 the one before. */
export function step(by: 1 | -1): boolean {
  const all = items()
  const here = document.activeElement?.closest('[data-row]')?.querySelector<HTMLElement>('[data-item]') ?? document.activeElement
  const at = all.indexOf(here as HTMLElement)
  const next = at >= 0 ? all[at + by] : place >= 0 ? all[Math.min(all.length - 1, Math.max(0, place + (by < 0 ? -1 : 0)))] : by > 0 ? all[0] : all.at(-1)
  next?.focus()
  if (next) place = all.indexOf(next)
  return next !== undefined
}
