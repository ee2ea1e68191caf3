import { describe, expect, it } from 'vitest'
import { formatRoute, parseRoute, tokenIn, type Route } from './route'

describe('routes', () => {
  it.each<Route>([
    { view: 'chat', chatId: null },
    { view: 'chat', chatId: 'a/b?c#d' },
    { view: 'conversations', filter: {} },
    { view: 'conversations', filter: { starred: '1', person: 'Ana & Bo', from: '2026-03-01' } },
    { view: 'conversation', conversationId: 'v 1', segmentId: null },
    { view: 'conversation', conversationId: 'v1', segmentId: 's&2' },
    { view: 'library', filter: {} },
    { view: 'library', filter: { q: 'tide & wind', kind: 'pdf', state: 'failed' } },
    { view: 'file', fileId: 'a/b', page: null, chunk: null, find: null },
    { view: 'file', fileId: 'f1', page: 12, chunk: 'c?1', find: 'low water' },
    { view: 'memory', factId: 'f/1' },
    { view: 'tasks', taskId: null },
    { view: 'calendar', span: 'week', date: '2026-03-01', eventId: 'e?' },
    { view: 'people', personId: 'p1' },
    { view: 'timeline', span: 'year', date: null },
    { view: 'search', query: { q: 'what did “John” say? 100%', kinds: 'task,event' } },
  ])('%j survives the address', (route) => expect(parseRoute(formatRoute(route))).toEqual(route))

  it.each(['', '#', '#/', '#/nowhere', '#/chats/', '#/chats/%E0%A4%A'])('%j is a chat', (hash) => expect(parseRoute(hash).view).toBe('chat'))

  it('understands addresses of earlier versions', () => {
    expect(parseRoute('#/recordings/c1?at=c1.4')).toEqual({ view: 'conversation', conversationId: 'c1', segmentId: 'c1.4' })
  })

  it.each(['0', '-1', '1.5', 'iv', '99999999'])('takes no page %s', (page) => expect(parseRoute(`#/library/f1?page=${page}`)).toMatchObject({ fileId: 'f1', page: null }))

  it('takes no span and no day that there is not', () => {
    expect(parseRoute('#/calendar/decade?date=2026-13-40')).toEqual({ view: 'calendar', span: 'month', date: null, eventId: null })
    expect(parseRoute('#/timeline')).toEqual({ view: 'timeline', span: 'quarter', date: null })
  })

  it('finds the token of a sign-in link', () => {
    expect(tokenIn('#token=a.b-c_d')).toBe('a.b-c_d')
    expect(tokenIn('#token=')).toBeNull()
    expect(tokenIn('#/chats/token=1')).toBeNull()
  })
})
