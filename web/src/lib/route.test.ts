import { describe, expect, it } from 'vitest'
import { formatRoute, parseRoute, tokenIn, type Route } from './route'

describe('routes', () => {
  it.each<Route>([
    { view: 'chat', chatId: null },
    { view: 'chat', chatId: 'a/b?c#d' },
    { view: 'recordings' },
    { view: 'recording', conversationId: 'v 1', segmentId: null },
    { view: 'recording', conversationId: 'v1', segmentId: 's&2' },
  ])('%j survives the address', (route) => expect(parseRoute(formatRoute(route))).toEqual(route))

  it.each(['', '#', '#/', '#/nowhere', '#/chats/', '#/chats/%E0%A4%A'])('%j is a chat', (hash) => expect(parseRoute(hash).view).toBe('chat'))

  it('finds the token of a sign-in link', () => {
    expect(tokenIn('#token=a.b-c_d')).toBe('a.b-c_d')
    expect(tokenIn('#token=')).toBeNull()
    expect(tokenIn('#/chats/token=1')).toBeNull()
  })
})
