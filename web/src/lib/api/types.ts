/** What the native API sends. Times are RFC 3339 text; ids are opaque. */

export interface Me {
  user_id: string
  name: string
}

export interface Status {
  version: string
  /** 'builtin' when no provider is connected. */
  model: string
  embedder: string
  indexing: { pending: number }
}

export interface Chat {
  chat_id: string
  title: string
  created_at: string
  last_activity: string
  running_turn_id?: string | null
}

export interface ChatPage {
  chats: Chat[]
  next_cursor: string | null
}

export interface Citation {
  /** Its number in the text: [1] is n = 1. That of a page is 0: the text refers to it as [5](FILEID). */
  n: number
  /** `page` is a page of a file; it has a `file_id` and a `page`, and no conversation. */
  kind: string
  conversation_id?: string
  segment_id?: string
  file_id?: string
  page?: number
  /** The passage of the page. */
  chunk_id?: string
  title: string
  speaker?: string
  at?: string | null
  quote: string
}

export type MessageState = 'ok' | 'failed' | 'cancelled'

export interface Message {
  message_id: string
  chat_id: string
  turn_id: string
  role: 'user' | 'assistant'
  content: string
  /** False while the answer is still being made; its journal can then be followed. */
  ready: boolean
  state: MessageState
  created_at: string
  citations: Citation[]
  /** The files that a question is about. */
  file_ids?: string[] | null
  error?: { code: string; message: string } | null
}

export interface MessagePage {
  /** Newest first. */
  messages: Message[]
  next_cursor: string | null
}

export interface TurnRequest {
  message: string
  chat_id?: string
  /** The user message that this one supersedes, with everything after it. */
  replaces?: string
  /** IANA name, so that "yesterday" means the person's. */
  zone?: string
  /** The files that the question is about, 9 at most. */
  file_ids?: string[]
}

export interface TurnAccepted {
  turn_id: string
  chat_id: string
  message_id: string
  answer_id: string
}
