/** The shortcuts, in one place for the handler and for the help. */
export const shortcuts = [
  ['Ctrl K', 'Search chats'],
  ['Ctrl Shift O', 'New chat'],
  ['Enter', 'Send'],
  ['Shift Enter', 'New line'],
  ['↑', 'In an empty composer: edit your last message'],
  ['Esc', 'Close the panel, or stop the answer'],
  ['?', 'This help'],
] as const

export const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)

export function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}
