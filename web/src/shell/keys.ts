import { inbox, type Route, type View } from '../lib/route'
import type { IconName } from '../ui/icons'

/** The places of the page: the key that follows `g`, the name, the address. */
export const places: { key: string; name: string; icon: IconName; route: Route }[] = [
  { key: 's', name: 'Search', icon: 'search', route: { view: 'search', query: {} } },
  { key: 'h', name: 'Chats', icon: 'chat', route: { view: 'chat', chatId: null } },
  { key: 'c', name: 'Conversations', icon: 'wave', route: inbox },
  { key: 'f', name: 'Library', icon: 'library', route: { view: 'library', filter: {} } },
  { key: 'm', name: 'Memory', icon: 'memory', route: { view: 'memory', factId: null } },
  { key: 't', name: 'Tasks', icon: 'task', route: { view: 'tasks', taskId: null } },
  { key: 'd', name: 'Calendar', icon: 'calendar', route: { view: 'calendar', span: 'month', date: null, eventId: null } },
  { key: 'p', name: 'People', icon: 'people', route: { view: 'people', personId: null } },
  { key: 'l', name: 'Timeline', icon: 'timeline', route: { view: 'timeline', span: 'quarter', date: null } },
]

/** The place to which a view belongs. */
export const placeOf = (view: View): View => ({ conversation: 'conversations', file: 'library' } as Partial<Record<View, View>>)[view] ?? view

type Shortcut = readonly [keys: string, what: string]

/** The shortcuts for the help; those of a view are handled in the view. */
export const shortcuts: readonly { name: string; keys: readonly Shortcut[] }[] = [
  {
    name: 'Everywhere',
    keys: [
      ['/', 'Search everything'],
      ...places.map(({ key, name }): Shortcut => [`g ${key}`, name]),
      ['j k', 'Next, previous in a list'],
      ['Enter', 'Open'],
      ['n', 'New: note, fact, task, event, person'],
      ['u', 'Undo, while it is offered'],
      ['Ctrl K', 'Find a chat'],
      ['Ctrl Shift O', 'New chat'],
      ['Esc', 'Close, or stop the answer'],
      ['?', 'This help'],
    ],
  },
  {
    name: 'Chats',
    keys: [
      ['Enter', 'Send'],
      ['Shift Enter', 'New line'],
      ['↑', 'In an empty composer: edit your last message'],
    ],
  },
  {
    name: 'Conversations',
    keys: [
      ['x', 'Select'],
      ['s', 'Star'],
      ['m', 'Merge what is selected'],
      ['#', 'Delete (also Delete)'],
      ['i', 'Import files'],
    ],
  },
  {
    name: 'Library',
    keys: [
      ['x', 'Select'],
      ['a', 'Ask about it, or about what is selected'],
      ['e', 'Rename'],
      ['#', 'Delete'],
      ['i', 'Add files'],
      ['← →', 'In a file: previous, next page'],
      ['f', 'In a file: find'],
    ],
  },
  {
    name: 'Transcript',
    keys: [
      ['↓ ↑', 'Next, previous line'],
      ['→ ←', 'Next, previous speaker'],
      ['Home End', 'Beginning, end'],
      ['e', 'Edit the title'],
      ['r', 'Name the speaker'],
      ['c', 'Copy the address of the line'],
    ],
  },
  {
    name: 'Memory and tasks',
    keys: [
      ['x', 'Task: done, or not'],
      ['p', 'Fact: pin'],
      ['y', 'Fact: keep'],
      ['r', 'Fact: reject'],
      ['e', 'Edit'],
      ['#', 'Delete'],
      ['o', 'Open where it was said'],
    ],
  },
  {
    name: 'Calendar',
    keys: [
      ['t', 'Today'],
      ['m w d', 'Month, week, day'],
      ['[ ]', 'Back, forward (also PageUp, PageDown)'],
      ['← ↑ → ↓', 'Another day or hour'],
      ['Enter', 'New event there'],
    ],
  },
  {
    name: 'Timeline',
    keys: [
      ['← →', 'Another day or week'],
      ['Enter', 'Its conversations'],
      ['m q y', 'Month, quarter, year'],
      ['[ ]', 'Back, forward'],
      ['t', 'Today'],
    ],
  },
]

export const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)
