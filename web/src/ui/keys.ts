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
    const action = Object.hasOwn(actions, event.key) ? actions[event.key] : undefined
    if (!action || event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
    if (typing(event.target) || document.querySelector('dialog[open]')) return
    event.preventDefault()
    action(event)
  }
}

/** Moves the focus among the things of the list that is shown: `by` 1 is the next, −1 the one before. */
export function step(by: 1 | -1): boolean {
  const items = [...document.querySelectorAll<HTMLElement>('main [data-item]')].filter((item) => item.checkVisibility())
  const here = document.activeElement?.closest('[data-row]')?.querySelector<HTMLElement>('[data-item]') ?? document.activeElement
  const at = items.indexOf(here as HTMLElement)
  const next = at < 0 ? (by > 0 ? items[0] : items.at(-1)) : items[at + by]
  next?.focus()
  return next !== undefined
}
