import { getJSON, query, request, send, sendJSON } from './http'
import type { Chat, ChatPage, MessagePage } from './types'

const at = (chatID: string) => `api/chats/${encodeURIComponent(chatID)}`

export const listChats = (cursor: string | null, limit = 30) => getJSON<ChatPage>(`api/chats${query({ cursor, limit })}`)

export const renameChat = (chatID: string, title: string) => sendJSON<Chat>('PATCH', at(chatID), { title })

export const deleteChat = (chatID: string) => send('DELETE', at(chatID))

/** Deletes even though the page is being left. */
export const deleteChatOnLeave = (chatID: string) => void request(at(chatID), { method: 'DELETE', keepalive: true }).catch(() => {})

export const listMessages = (chatID: string, cursor: string | null, limit = 20, signal?: AbortSignal) =>
  getJSON<MessagePage>(`${at(chatID)}/messages${query({ cursor, limit })}`, signal)
