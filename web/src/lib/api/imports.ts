import { query } from './http'
import { Problem, problemFrom, unreachable } from './problem'

export interface ImportResult {
  conversations: { conversation_id: string; title: string; segments: number }[] | null
  duplicate: boolean
}

/**
 * Sends one file as it is. `progress` gets the part that has left, 0 to 1.
 * XMLHttpRequest, because fetch does not tell how much of a body was sent.
 */
export function importFile(file: File, progress: (part: number) => void, signal: AbortSignal): Promise<ImportResult> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const modified = file.lastModified > 0 ? new Date(file.lastModified).toISOString() : null
    xhr.open('POST', `api/import${query({ name: file.name, modified })}`)
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
