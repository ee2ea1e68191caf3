import { typesOf, type FileKind } from '../files/kind'
import { getJSON, query, send, sendJSON } from './http'

export type FileState = 'in_progress' | 'success' | 'failed'

/** A file can be found by its words from `embed` on. */
export type FileStage = 'queued' | 'extract' | 'index' | 'embed' | 'done'

/** A file of the library. Called so because the browser has a File of its own. */
export interface LibraryFile {
  file_id: string
  name: string
  /** The MIME type that the content has, whatever the name says. */
  type: string
  /** Bytes. */
  size: number
  state: FileState
  stage: FileStage
  /** Pages or chunks that are through the stage; `total` is missing when it is not known. */
  done?: number
  total?: number
  /** Why it failed: a sentence for a person. */
  reason?: string
  /** What could not be read of a file that could. */
  notes?: string[] | null
  page_count: number
  chunk_count: number
  title?: string
  summary?: string
  chat_id?: string
  modified_at?: string
  created_at: string
  revision: number
}

export interface FilePage {
  /** From 1. */
  page: number
  /** What the document calls the page, when that differs: iv, A-3. */
  label?: string
  /** Markdown. */
  text: string
  note?: string
}

export interface Chunk {
  chunk_id: string
  page: number
  /** Bytes in the page's text, which is UTF-8 there. */
  start: number
  end: number
  headings?: string[] | null
  text: string
}

/** A rectangle on the picture of a page, in fractions of it; the origin is at the top left. */
export interface Mark {
  x: number
  y: number
  width: number
  height: number
}

export interface Found {
  chunk_id: string
  file_id: string
  page: number
  headings?: string[] | null
  text: string
  similarity: number
}

/** Which files to list, as it stands in the page's address. */
export interface FileFilter {
  q?: string
  state?: string
  kind?: string
}

export interface FileList {
  files: LibraryFile[] | null
  total: number
  next_cursor: string | null
}

export interface Processing {
  id: string
  embeddingsStatus: FileState
  stage?: FileStage
  done?: number
  total?: number
  reason?: string
}

const at = (fileID: string) => `api/files/${encodeURIComponent(fileID)}`
const one = async (answer: Promise<{ file: LibraryFile }>) => (await answer).file

export const listFiles = ({ q, state, kind }: FileFilter, cursor: string | null, limit = 50) =>
  getJSON<FileList>(`api/files${query({ q, state, type: kind ? typesOf(kind as FileKind) : null, cursor, limit })}`)

export const getFile = (fileID: string, signal?: AbortSignal) => one(getJSON(at(fileID), signal))

export const processing = async () => (await getJSON<{ files: Processing[] | null }>('api/files/processing-status')).files ?? []

export const renameFile = ({ file_id, revision }: LibraryFile, name: string) => one(sendJSON('PATCH', at(file_id), { name, revision }))

export const deleteFile = (fileID: string) => send('DELETE', at(fileID))

export const retryFile = (fileID: string) => one(sendJSON('POST', `${at(fileID)}/retry-processing`, {}))

export const reprocessFile = (fileID: string) => one(sendJSON('POST', `${at(fileID)}/reprocess`, {}))

export const getPage = async (fileID: string, page: number, signal?: AbortSignal) =>
  (await getJSON<{ pages: FilePage[] | null }>(`${at(fileID)}/pages${query({ from: page, until: page })}`, signal)).pages?.[0] ?? null

export const getChunks = async (fileID: string, page: number, signal?: AbortSignal) =>
  (await getJSON<{ chunks: Chunk[] | null }>(`${at(fileID)}/chunks${query({ page })}`, signal)).chunks ?? []

export const getMarks = async (fileID: string, page: number, chunk: string, signal?: AbortSignal) =>
  (await getJSON<{ marks: Mark[] | null }>(`${at(fileID)}/pages/${page}/marks${query({ chunk })}`, signal)).marks ?? []

export const findInFile = async (fileID: string, q: string, signal?: AbortSignal) =>
  (await getJSON<{ results: Found[] | null }>(`api/files/search${query({ q, file_id: fileID, limit: 20 })}`, signal)).results ?? []

export const jobPath = (fileID: string, after: number) => `${at(fileID)}/events?after=${after}`

/** `width` in pixels. Only PDFs have pictures of their pages. */
export const pictureOf = (fileID: string, page: number, width: number) => `${at(fileID)}/pages/${page}/image${query({ width })}`

export const originalOf = (fileID: string, attachment: boolean) => `${at(fileID)}/download${query({ attachment: attachment ? 1 : null })}`
