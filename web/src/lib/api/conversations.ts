import { getJSON, query, send } from './http'
import { Problem, problemFrom, unreachable } from './problem'
import type { ConversationPage, ImportResult, SearchHit, Transcript } from './types'

const at = (conversationID: string) => `api/conversations/${encodeURIComponent(conversationID)}`

export const listConversations = (cursor: string | null, limit = 30) =>
  getJSON<ConversationPage>(`api/conversations${query({ cursor, limit })}`)

export const getTranscript = (conversationID: string, around?: string | null, signal?: AbortSignal) =>
  getJSON<Transcript>(`${at(conversationID)}${query({ around })}`, signal)

export const deleteConversation = (conversationID: string) => send('DELETE', at(conversationID))

export const search = (q: string, limit = 30, signal?: AbortSignal) =>
  getJSON<{ results: SearchHit[] }>(`api/search${query({ q, limit })}`, signal)

/**
 * Sends one file as it is. `progress` gets the part that has left, 0 to 1.
 * XMLHttpRequest, because fetch does not tell how much of a body was sent.
 */
export function importFile(file: File, progress: (part: number) => void, signal: AbortSignal): Promise<ImportResult> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    xhr.open('POST', `api/import${query({ name: file.name })}`)
    xhr.setRequestHeader('Accept', 'application/json')
    xhr.setRequestHeader('Content-Type', 'application/octet-stream')
    xhr.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total)
    xhr.onerror = () => reject(unreachable())
    xhr.onabort = () => reject(new Problem(0, 'aborted', 'Stopped.'))
    xhr.onload = () => {
      if (xhr.status < 200 || xhr.status > 299) return reject(problemFrom(xhr.status, xhr.responseText))
      try {
        resolve(JSON.parse(xhr.responseText) as ImportResult)
      } catch {
        reject(new Problem(xhr.status, 'unreadable', 'The server sent an answer that this page cannot read.'))
      }
    }
    signal.addEventListener('abort', () => xhr.abort())
    xhr.send(file)
  })
}
