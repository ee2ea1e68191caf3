/** Where in the page one is. It lives in the fragment, so that every server answers every address alike. */
export type Route =
  | { view: 'chat'; chatId: string | null }
  | { view: 'recordings' }
  | { view: 'recording'; conversationId: string; segmentId: string | null }

export function parseRoute(hash: string): Route {
  const [path = '', params = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view, id] = path.split('/').map(decodePart)
  if (view === 'chats' && id) return { view: 'chat', chatId: id }
  if (view === 'recordings' && id) return { view: 'recording', conversationId: id, segmentId: new URLSearchParams(params).get('at') }
  if (view === 'recordings') return { view: 'recordings' }
  return { view: 'chat', chatId: null }
}

export function formatRoute(route: Route): string {
  if (route.view === 'recordings') return '#/recordings'
  if (route.view === 'recording') {
    const at = route.segmentId ? `?at=${encodeURIComponent(route.segmentId)}` : ''
    return `#/recordings/${encodeURIComponent(route.conversationId)}${at}`
  }
  return route.chatId ? `#/chats/${encodeURIComponent(route.chatId)}` : '#/'
}

/** The token of a sign-in link, http://host/#token=TOKEN. */
export function tokenIn(hash: string): string | null {
  return /^#\/?token=/.test(hash) ? new URLSearchParams(hash.replace(/^#\/?/, '')).get('token') || null : null
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
