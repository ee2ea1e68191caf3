import { DetailedError, Upload, defaultOptions } from 'tus-js-client'
import type { LibraryFile } from './files'
import { getJSON, send } from './http'
import { Problem, problemFrom, unreachable } from './problem'

export interface Uploaded {
  fileId: string
  /** True when the same content was in the library already. */
  duplicate: boolean
  /** The file, when the answer held it. */
  file: LibraryFile | null
}

export interface Sending {
  chatId: string | null
  /** Gets the bytes that have left. */
  progress: (sent: number) => void
  signal: AbortSignal
}

/** An upload that was begun and not ended, perhaps by another visit to the page. */
export interface Unfinished {
  id: string
  name: string
  size: number
  /** Bytes that have arrived. */
  offset: number
}

/** Files above this many bytes are sent in parts, and can go on after the network or the page was gone. */
const inParts = 8 * 1024 * 1024
/** One part. A network that breaks costs no more than what of it had not arrived. */
const part = 8 * 1024 * 1024

const endpoint = () => new URL('api/uploads', document.baseURI).href
const at = (id: string) => `api/uploads/${encodeURIComponent(id)}`
const idOf = (url: string) => decodeURIComponent(url.split('?')[0]!.split('/').at(-1) ?? '')

export const uploadFile = (file: File, sending: Sending): Promise<Uploaded> => (file.size > inParts ? sendParts(file, sending) : sendWhole(file, sending))

interface Taken {
  files: ({ file: LibraryFile; duplicate: boolean } | { name: string; error: { code: string; detail: string } })[]
}

/** XMLHttpRequest, because fetch does not tell how much of a body was sent. */
function sendWhole(file: File, { chatId, progress, signal }: Sending): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const form = new FormData()
    if (chatId) form.set('chat_id', chatId)
    form.append('file', file, file.name)
    const xhr = new XMLHttpRequest()
    const stop = () => xhr.abort()
    xhr.open('POST', 'api/files')
    xhr.setRequestHeader('Accept', 'application/json')
    // The form's own lines are counted too; nobody wants to read that 101 % were sent.
    xhr.upload.onprogress = (event) => progress(Math.min(file.size, event.loaded))
    xhr.onerror = () => reject(unreachable())
    xhr.onabort = () => reject(stopped())
    xhr.onloadend = () => signal.removeEventListener('abort', stop)
    xhr.onload = () => {
      if (xhr.status < 200 || xhr.status > 299) return reject(problemFrom(xhr.status, xhr.responseText))
      const taken = readTaken(xhr.responseText)
      if (!taken) return reject(new Problem(xhr.status, 'unreadable', 'The server sent an answer that this page cannot read.'))
      if ('error' in taken) return reject(new Problem(422, taken.error.code, taken.error.detail))
      resolve({ fileId: taken.file.file_id, duplicate: taken.duplicate, file: taken.file })
    }
    if (signal.aborted) return reject(stopped())
    signal.addEventListener('abort', stop)
    xhr.send(form)
  })
}

function readTaken(text: string): Taken['files'][number] | null {
  try {
    return (JSON.parse(text) as Taken).files[0] ?? null
  } catch {
    return null
  }
}

/** Goes on where an earlier attempt with the same file ended, also one before the page was loaded anew. */
function sendParts(file: File, { chatId, progress, signal }: Sending): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    let taken: { fileId: string; duplicate: boolean } | null = null
    const upload = new Upload(file, {
      endpoint: endpoint(),
      chunkSize: part,
      // When to try again is decided where all uploads are known.
      retryDelays: null,
      removeFingerprintOnSuccess: true,
      metadata: { filename: file.name, ...(chatId && { chat_id: chatId }) },
      // The server names a path; behind a prefix the page knows better where it lies.
      onUploadUrlAvailable: () => void (upload.url = new URL(at(idOf(upload.url ?? '')), document.baseURI).href),
      onProgress: (sent) => progress(sent),
      onAfterResponse: (_, response) => {
        const fileId = response.getHeader('Confidant-File')
        if (fileId) taken = { fileId, duplicate: response.getHeader('Confidant-Duplicate') === 'true' }
      },
      onError: (error) => reject(problemOf(error)),
      onSuccess: () => {
        if (taken) return resolve({ ...taken, file: null })
        // The answer to the last part was lost; the upload itself knows what became of it.
        getJSON<{ file_id?: string }>(at(idOf(upload.url ?? ''))).then(({ file_id }) => {
          if (file_id) resolve({ fileId: file_id, duplicate: false, file: null })
          else reject(new Problem(500, 'unfinished', 'The file has arrived and was not taken. Try again.'))
        }, reject)
      },
    })
    signal.addEventListener('abort', () => {
      // True: what has arrived is deleted there, and the place is forgotten here.
      void upload.abort(true).catch(() => {})
      reject(stopped())
    })
    void begin(upload, signal).catch((error: unknown) => reject(problemOf(error)))
  })
}

async function begin(upload: Upload, signal: AbortSignal): Promise<void> {
  const earlier = await upload.findPreviousUploads()
  if (earlier[0]) upload.resumeFromPreviousUpload(earlier[0])
  if (!signal.aborted) upload.start()
}

const stopped = () => new Problem(0, 'aborted', 'Stopped.')

function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  const response = error instanceof DetailedError ? error.originalResponse : null
  const status = response?.getStatus() ?? 0
  if (!response || status === 0) return unreachable()
  // A browser may repeat by itself a part whose connection broke, and then it does not fit any more; or the server has not
  // noticed yet that the connection is gone. Either is over when one asks again where to go on.
  if (status === 409 || status === 423) return new Problem(503, 'moved', 'The upload has lost its place.')
  return problemFrom(status, response.getBody())
}

const kept = () => defaultOptions.urlStorage

/** What was begun in this browser and has not arrived; what the server does not know any more is forgotten. */
export async function unfinishedUploads(): Promise<Unfinished[]> {
  const found: Unfinished[] = []
  for (const { uploadUrl, urlStorageKey } of await kept().findAllUploads()) {
    if (!uploadUrl) continue
    try {
      const { name, size, offset, file_id } = await getJSON<{ name: string; size: number; offset: number; file_id?: string }>(at(idOf(uploadUrl)))
      if (file_id) await kept().removeUpload(urlStorageKey)
      else found.push({ id: idOf(uploadUrl), name, size, offset })
    } catch (error) {
      if (error instanceof Problem && !error.passing) await kept().removeUpload(urlStorageKey)
    }
  }
  return found
}

export async function forgetUpload(id: string): Promise<void> {
  await send('DELETE', at(id)).catch(() => {})
  for (const { uploadUrl, urlStorageKey } of await kept().findAllUploads()) if (uploadUrl && idOf(uploadUrl) === id) await kept().removeUpload(urlStorageKey)
}

/** The names of files stay in this browser while they are uploaded, and no longer than the person is signed in. */
export async function forgetAllUploads(): Promise<void> {
  for (const { urlStorageKey } of await kept().findAllUploads()) await kept().removeUpload(urlStorageKey)
}
