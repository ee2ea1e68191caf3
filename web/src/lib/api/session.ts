import { getJSON, send } from './http'
import type { Me, Status } from './types'

export const me = () => getJSON<Me>('api/me')
export const status = () => getJSON<Status>('api/status')
export const signIn = (token: string) => send('POST', 'api/session', { token })
export const signOut = () => send('DELETE', 'api/session')
