// The native API of files, in memory: the library, its pages and chunks, and what is found in them.
import { createHash } from 'node:crypto'
import { chunksOf, library, record, types } from './documents.mjs'
import { layout, picture } from './picture.mjs'
import { Reading } from './reading.mjs'
import { conflict, missing, Refusal } from './refusal.mjs'
import { words } from './search.mjs'
import { Uploads } from './uploads.mjs'

const outline = ({ pages: _, content: __, ...file }) => ({ ...file, id: file.file_id, embeddingsStatus: file.state, fileType: file.type, createdAt: file.created_at, updatedAt: file.updated_at })

export class Files {
  #hashes = new Map()
  #count = 0

  constructor({ empty, pace }) {
    this.all = empty ? [] : library()
    this.reading = new Reading(pace)
    this.uploads = new Uploads((name, content, chatId) => this.#store(name, content, chatId))
    this.routes = [...this.uploads.routes, ...this.#list(), ...this.#one(), ...this.#inside()]
  }

  find(id) {
    return this.all.find((file) => file.file_id === id) ?? (() => { throw missing() })()
  }

  #store(name, content, chatId) {
    if (content.length === 0) throw new Refusal(422, 'nothing_found', 'The file is empty.')
    if (/\.exe$/.test(name)) throw new Refusal(415, 'unsupported', 'Programs are not read. Confidant takes documents, slides, sheets, mail, web pages, pictures and text.')
    const hash = createHash('sha256').update(content).digest('hex')
    const known = this.all.find((file) => file.file_id === this.#hashes.get(hash))
    if (known) return { file: outline(known), duplicate: true }
    const file = record(`file-new-${++this.#count}`, name, { size: content.length, sha256: hash, content, ...(chatId && { chat_id: chatId }) })
    this.#hashes.set(hash, file.file_id)
    this.all.push(file)
    this.reading.start(file, content)
    return { file: outline(file), duplicate: false }
  }

  #list() {
    return [
      ['GET', /^\/api\/files$/, ({ query, page }) => {
        const asked = [...words(query.get('q') ?? '')]
        const [states, kinds] = [query.getAll('state'), query.getAll('type')]
        const passes = (file) =>
          (states.length === 0 || states.includes(file.state)) &&
          (kinds.length === 0 || kinds.some((kind) => file.type.startsWith(kind))) &&
          asked.every((word) => `${file.name} ${file.title ?? ''} ${file.summary ?? ''}`.toLowerCase().includes(word))
        const found = this.all.filter(passes).sort((a, b) => b.created_at.localeCompare(a.created_at) || b.file_id.localeCompare(a.file_id, 'en', { numeric: true }))
        return { success: true, ...page(found.map(outline), query, 'files', 50), total: found.length }
      }],
      ['GET', /^\/api\/files\/processing-status$/, () => ({
        success: true,
        files: this.all.filter(({ state }) => state !== 'success').map(({ file_id, name, state, stage, done, total, reason }) => ({ id: file_id, name, embeddingsStatus: state, stage, done, total, reason })),
      })],
      ['GET', /^\/api\/files\/search$/, ({ query }) => {
        const wanted = query.getAll('file_id')
        const results = this.passages(query.get('q') ?? '', wanted).slice(0, Number(query.get('limit') ?? 10))
        return { results, receipt: { query: query.get('q') } }
      }],
    ]
  }

  #one() {
    const path = (rest = '') => new RegExp(`^/api/files/([^/]+)${rest}$`)
    const again = (file) => {
      this.reading.start(file, file.content ?? Buffer.from(file.pages.map(({ text }) => text).join('\f')))
      return { success: true, file: outline(file) }
    }
    return [
      ['GET', path(), ({ ids }) => ({ success: true, file: outline(this.find(ids[0])) })],
      ['GET', path('/poll'), ({ ids }) => ({ success: true, status: this.find(ids[0]).state, file: outline(this.find(ids[0])) })],
      ['PATCH', path(), ({ ids, json }) => {
        const file = this.find(ids[0])
        const { name, revision } = json()
        if (revision !== file.revision) throw conflict('It was changed meanwhile.')
        return { success: true, file: outline(Object.assign(file, { name, revision: revision + 1 })) }
      }],
      ['DELETE', path(), ({ ids }) => void this.all.splice(this.all.indexOf(this.find(ids[0])), 1)],
      ['POST', path('/retry-processing'), ({ ids }) => {
        if (this.find(ids[0]).state !== 'failed') throw conflict('This file has not failed.')
        return again(this.find(ids[0]))
      }],
      ['POST', path('/reprocess'), ({ ids }) => {
        if (this.find(ids[0]).state === 'in_progress') throw conflict('This file is being read.')
        return again(this.find(ids[0]))
      }],
      ['GET', path('/events'), ({ ids, query, response }) => this.reading.journal(this.find(ids[0]))?.follow(Number(query.get('after') ?? 0), response) ?? (() => { throw missing() })()],
      ['GET', path('/download'), ({ ids, query, response }) => {
        const file = this.find(ids[0])
        const how = query.get('attachment') ? 'attachment' : 'inline'
        response.writeHead(200, { 'content-type': file.type, 'content-disposition': `${how}; filename*=UTF-8''${encodeURIComponent(file.name)}` }).end(file.content ?? 'mock')
        return 'streaming'
      }],
    ]
  }

  #inside() {
    const page = (id, n) => this.find(id).pages[Number(n) - 1] ?? (() => { throw missing() })()
    return [
      ['GET', /^\/api\/files\/([^/]+)\/pages$/, ({ ids, query }) => {
        const file = this.find(ids[0])
        const from = Number(query.get('from') ?? 1)
        return { pages: file.pages.slice(from - 1, Number(query.get('until') ?? from + 4)).map(({ chunks: _, ...rest }) => rest), page_count: file.page_count }
      }],
      ['GET', /^\/api\/files\/([^/]+)\/chunks$/, ({ ids, query }) => ({ chunks: page(ids[0], query.get('page')).chunks })],
      ['GET', /^\/api\/files\/([^/]+)\/pages\/(\d+)\/image$/, ({ ids, query, response }) => {
        if (this.find(ids[0]).type !== types.pdf) throw missing()
        const image = picture(page(ids[0], ids[1]), Math.min(2000, Math.max(200, Number(query.get('width') ?? 900))))
        response.writeHead(200, { 'content-type': 'image/png', 'cache-control': 'private, max-age=60' }).end(image)
        return 'streaming'
      }],
      ['GET', /^\/api\/files\/([^/]+)\/pages\/(\d+)\/marks$/, ({ ids, query }) => ({ marks: layout(page(ids[0], ids[1]).chunks).find(({ chunk_id }) => chunk_id === query.get('chunk'))?.rects ?? [] })],
    ]
  }

  /** The passages with the words that are asked for, the best first. */
  passages(q, fileIds = []) {
    const asked = [...words(q)]
    const found = []
    for (const file of this.all) {
      if (fileIds.length > 0 && !fileIds.includes(file.file_id)) continue
      for (const { page, text } of file.pages) {
        for (const chunk of chunksOf(file.file_id, page, text)) {
          const said = [...words(`${chunk.text} ${chunk.headings.join(' ')}`)]
          const hits = asked.filter((word) => said.some((other) => other.startsWith(word) || word.startsWith(other))).length
          if (hits > 0) found.push({ ...chunk, file_id: file.file_id, name: file.name, similarity: hits / asked.length })
        }
      }
    }
    return found.sort((a, b) => b.similarity - a.similarity)
  }
}
