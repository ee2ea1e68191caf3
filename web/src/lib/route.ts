import type { SearchQuery } from './api/search'
import type { ConversationFilter } from './api/conversations'
import type { FileFilter } from './api/files'

export type CalendarSpan = 'month' | 'week' | 'day'
export type TimelineSpan = 'month' | 'quarter' | 'year'

/** Where in the page one is. It lives in the fragment, so that every server answers every address alike. */
export type Route =
  | { view: 'chat'; chatId: string | null }
  | { view: 'conversations'; filter: ConversationFilter }
  | { view: 'conversation'; conversationId: string; segmentId: string | null }
  | { view: 'library'; filter: FileFilter }
  /** `page` is from 1; `chunk` is the passage to mark, `find` what is looked for in the file. */
  | { view: 'file'; fileId: string; page: number | null; chunk: string | null; find: string | null }
  | { view: 'memory'; factId: string | null }
  | { view: 'tasks'; taskId: string | null }
  /** `date` is a day, 2026-03-01; null is today. */
  | { view: 'calendar'; span: CalendarSpan; date: string | null; eventId: string | null }
  | { view: 'people'; personId: string | null }
  | { view: 'timeline'; span: TimelineSpan; date: string | null }
  | { view: 'search'; query: SearchQuery }

export type View = Route['view']

export const inbox: Route = { view: 'conversations', filter: {} }

/** Where a place in a file is read. */
export const fileAt = (fileId: string, page: number | null = null, chunk: string | null = null, find: string | null = null): Route => ({ view: 'file', fileId, page, chunk, find })

export function parseRoute(hash: string): Route {
  const [path = '', text = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view, id] = path.split('/').map(decodePart)
  const params = new URLSearchParams(text)
  const values = Object.fromEntries(params)
  switch (view) {
    case 'chats':
      return { view: 'chat', chatId: id || null }
    case 'conversations':
    case 'recordings':
      return id ? { view: 'conversation', conversationId: id, segmentId: params.get('at') } : { view: 'conversations', filter: values }
    case 'library':
      return id ? { view: 'file', fileId: id, page: number(params.get('page')), chunk: params.get('chunk') || null, find: params.get('find') || null } : { view: 'library', filter: values }
    case 'memory':
      return { view: 'memory', factId: id || null }
    case 'tasks':
      return { view: 'tasks', taskId: id || null }
    case 'calendar':
      return { view: 'calendar', span: oneOf(['month', 'week', 'day'], id), date: day(params), eventId: params.get('event') }
    case 'people':
      return { view: 'people', personId: id || null }
    case 'timeline':
      return { view: 'timeline', span: oneOf(['quarter', 'month', 'year'], id), date: day(params) }
    case 'search':
      return { view: 'search', query: values }
    default:
      return { view: 'chat', chatId: null }
  }
}

export function formatRoute(route: Route): string {
  switch (route.view) {
    case 'chat':
      return route.chatId ? address(['chats', route.chatId]) : '#/'
    case 'conversations':
      return address(['conversations'], { ...route.filter })
    case 'conversation':
      return address(['conversations', route.conversationId], { at: route.segmentId })
    case 'library':
      return address(['library'], { ...route.filter })
    case 'file':
      return address(['library', route.fileId], { page: route.page === null ? null : String(route.page), chunk: route.chunk, find: route.find })
    case 'memory':
      return address(['memory', route.factId])
    case 'tasks':
      return address(['tasks', route.taskId])
    case 'calendar':
      return address(['calendar', route.span], { date: route.date, event: route.eventId })
    case 'people':
      return address(['people', route.personId])
    case 'timeline':
      return address(['timeline', route.span], { date: route.date })
    case 'search':
      return address(['search'], { ...route.query })
  }
}

/** The token of a sign-in link, http://host/#token=TOKEN. */
export function tokenIn(hash: string): string | null {
  return /^#\/?token=/.test(hash) ? new URLSearchParams(hash.replace(/^#\/?/, '')).get('token') || null : null
}

function address(path: (string | null)[], params: Record<string, string | null | undefined> = {}): string {
  const set = Object.entries(params).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const text = set.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  return `#/${path.filter((part) => part !== null).map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`
}

/** The value when it is one of those, else the first of them. */
function oneOf<T extends string>(all: [T, ...T[]], value: string | undefined): T {
  return all.find((one) => one === value) ?? all[0]
}

/** A number from 1 on. */
function number(text: string | null): number | null {
  return text && /^[1-9]\d{0,6}$/.test(text) ? Number(text) : null
}

function day(params: URLSearchParams): string | null {
  const text = params.get('date') ?? ''
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : null
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
