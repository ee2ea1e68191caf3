import { send, sendJSON } from './http'
import type { TurnAccepted, TurnRequest } from './types'

const at = (turnID: string) => `api/turns/${encodeURIComponent(turnID)}`

/** The same key returns the same turn, so a request whose answer was lost may be sent again. */
export const startTurn = (turn: TurnRequest, key: string) =>
  sendJSON<TurnAccepted>('POST', 'api/turns', turn, { 'Idempotency-Key': key })

export const cancelTurn = (turnID: string) => send('POST', `${at(turnID)}/cancel`)

export const approve = (turnID: string, callID: string, yes: boolean) =>
  send('POST', `${at(turnID)}/approvals/${encodeURIComponent(callID)}`, { approve: yes })

export const eventsPath = (turnID: string, after: number) => `${at(turnID)}/events?after=${after}`
