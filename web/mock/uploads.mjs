// Files as they arrive at the mock server: whole in a form, or in parts (tus 1.0.0), with a network that can be cut.
import { missing, Refusal } from './refusal.mjs'

const limit = 64 * 1024 * 1024

export class Uploads {
  all = new Map()
  /** After so many bytes of a part the connection is cut, once. Null: never. */
  cutAfter = null
  /** True: nothing gets through, as when the network is gone. */
  away = false
  /** How many were on their way at once, at most. */
  most = 0
  #now = 0
  /** All bytes of parts that came, also those that came twice. */
  received = 0
  /** Milliseconds that a form and each piece of a part take to be read. */
  slow = 0

  constructor(store) {
    this.store = store
    this.routes = [
      ['POST', /^\/api\/files$/, async ({ body, request }) => {
        this.most = Math.max(this.most, ++this.#now)
        await sleep(this.slow)
        this.#now--
        const form = await new Response(body, { headers: { 'content-type': request.headers['content-type'] } }).formData()
        const files = []
        for (const part of form.getAll('file')) {
          try {
            files.push(store(part.name, Buffer.from(await part.arrayBuffer()), form.get('chat_id')))
          } catch (error) {
            files.push({ name: part.name, error: { code: error.code, detail: error.message } })
          }
        }
        return [201, { success: true, files, file: files[0].file }]
      }],
      ['POST', /^\/api\/uploads$/, ({ request, response }) => {
        const size = Number(request.headers['upload-length'])
        const meta = Object.fromEntries((request.headers['upload-metadata'] ?? '').split(',').map((pair) => pair.split(' ')).map(([key, value]) => [key, Buffer.from(value ?? '', 'base64').toString()]))
        if (size > limit) throw new Refusal(413, 'too_large', `A file may have 64 MB (file_bytes); “${meta.filename}” has ${Math.round(size / 1024 ** 2)} MB.`)
        const id = `upload-${this.all.size + 1}`
        this.all.set(id, { upload_id: id, name: meta.filename, chat_id: meta.chat_id, size, parts: [], offset: 0 })
        response.writeHead(201, { location: `/api/uploads/${id}`, 'tus-resumable': '1.0.0' }).end()
        return 'streaming'
      }],
      ['HEAD', /^\/api\/uploads\/([^/]+)$/, ({ ids, response }) => {
        this.#only(this.#find(ids[0]), null)
        const { offset, size } = this.#find(ids[0])
        response.writeHead(200, { 'upload-offset': offset, 'upload-length': size, 'tus-resumable': '1.0.0', 'cache-control': 'no-store' }).end()
        return 'streaming'
      }],
      ['GET', /^\/api\/uploads\/([^/]+)$/, ({ ids }) => {
        const { parts: _, request: __, ...upload } = this.#find(ids[0])
        return upload
      }],
      ['DELETE', /^\/api\/uploads\/([^/]+)$/, ({ ids }) => void (this.all.delete(ids[0]) || this.#find(ids[0]))],
    ]
  }

  #find(id) {
    return this.all.get(id) ?? (() => { throw missing() })()
  }

  /** Whoever asks where to go on has lost the connection before: what still comes over that one is not taken. */
  #only(upload, request) {
    upload.request?.destroy()
    upload.request = request
  }

  /** Takes a part while it comes, so that what had arrived when the network was cut is kept. True: it was one. */
  async receive(request, response, path) {
    if (this.away && /^\/api\/(uploads|files$)/.test(path)) {
      request.destroy()
      return true
    }
    const id = /^\/api\/uploads\/([^/]+)$/.exec(path)?.[1]
    if (request.method !== 'PATCH' || !id) return false
    const upload = this.#find(id)
    this.#only(upload, request)
    if (Number(request.headers['upload-offset']) !== upload.offset) throw new Refusal(409, 'conflict', 'The upload is at another place.')
    try {
      for await (const piece of request) {
        if (upload.request !== request) return true
        upload.parts.push(piece)
        upload.offset += piece.length
        this.received += piece.length
        if (this.slow) await sleep(this.slow)
        if (this.away || (this.cutAfter !== null && upload.offset >= this.cutAfter)) {
          this.cutAfter = null
          request.destroy()
          return true
        }
      }
    } catch {
      return true
    }
    const headers = { 'upload-offset': upload.offset, 'tus-resumable': '1.0.0' }
    if (upload.offset === upload.size) {
      const { file, duplicate } = this.store(upload.name, Buffer.concat(upload.parts), upload.chat_id)
      Object.assign(upload, { parts: [], file_id: file.file_id })
      Object.assign(headers, { 'confidant-file': file.file_id, 'confidant-duplicate': String(duplicate) })
    }
    upload.request = null
    response.writeHead(204, headers).end()
    return true
  }
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
