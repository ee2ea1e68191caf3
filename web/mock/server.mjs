// A server that behaves like Confidant's native API, for working on the page and testing it without the real one.
// No state is kept on disk. Run: npm run mock
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chatTitles, parseTranscript } from './data.mjs'
import { Files } from './files.mjs'
import { Memory } from './memory.mjs'
import { Processing } from './processing.mjs'
import { missing, Refusal } from './refusal.mjs'
import { Turns } from './turns.mjs'

const assets = fileURLToPath(new URL('../../assets/web/', import.meta.url))
export const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; manifest-src 'self'"
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml' }

/** Starts a mock server. `empty`: nothing imported and no chats. `model`: what /api/status says. `pace`: milliseconds for a step of processing. */
export async function start({ port = 0, token = 'mock-token', empty = false, model = 'mock-1', name = 'Jonas Berg', pace = 250 } = {}) {
  const sessions = new Set()
  const memory = new Memory({ empty, processing: new Processing({ model, pace }) })
  const files = (memory.files = new Files({ empty, pace }))
  const hashes = new Map()
  const chats = new Map()
  if (!empty) {
    for (const [created_at, title] of chatTitles) {
      const chat_id = `chat-${chats.size + 1}`
      chats.set(chat_id, { chat_id, title, created_at, last_activity: created_at, messages: [] })
    }
  }
  const turns = new Turns(chats, memory)

  const need = (map, id) => map.get(id) ?? (() => { throw missing() })()
  const page = (list, query, key, fallback = 30) => {
    const from = Number(query.get('cursor') ?? 0)
    const limit = Number(query.get('limit') ?? fallback)
    return { [key]: list.slice(from, from + limit), next_cursor: from + limit < list.length ? String(from + limit) : null }
  }
  const chatOut = ({ messages: _, ...chat }) => chat

  const routes = [
    ['GET', /^\/api\/me$/, () => ({ user_id: 'u1', name })],
    ['GET', /^\/api\/status$/, () => ({ version: '0.0.0-mock', model, embedder: 'use-lite', indexing: { pending: 0 } })],
    ['GET', /^\/api\/chats$/, ({ query }) => page([...chats.values()].sort((a, b) => b.last_activity.localeCompare(a.last_activity)).map(chatOut), query, 'chats')],
    ['PATCH', /^\/api\/chats\/([^/]+)$/, ({ ids, json }) => chatOut(Object.assign(need(chats, ids[0]), { title: json().title }))],
    ['DELETE', /^\/api\/chats\/([^/]+)$/, ({ ids }) => void (chats.delete(ids[0]) || need(chats, ids[0]))],
    ['GET', /^\/api\/chats\/([^/]+)\/messages$/, ({ ids, query }) => page([...need(chats, ids[0]).messages].reverse(), query, 'messages', 20)],
    ['POST', /^\/api\/turns$/, ({ json, request }) => [202, turns.start(json(), request.headers['idempotency-key'])]],
    ['GET', /^\/api\/turns\/([^/]+)$/, ({ ids }) => turns.outline(need(turns.all, ids[0]))],
    ['GET', /^\/api\/turns\/([^/]+)\/events$/, ({ ids, query, response }) => turns.follow(need(turns.all, ids[0]), Number(query.get('after') ?? 0), response)],
    ['POST', /^\/api\/turns\/([^/]+)\/cancel$/, ({ ids }) => (turns.cancel(need(turns.all, ids[0])), [202, {}])],
    ['POST', /^\/api\/turns\/([^/]+)\/approvals\/([^/]+)$/, ({ ids, json }) => (turns.approve(need(turns.all, ids[0]), json().approve), [202, {}])],
    ...memory.routes,
    ...files.routes,
    ['POST', /^\/api\/import$/, ({ query, body }) => {
      const file = query.get('name') ?? 'file'
      if (body.includes(0)) throw new Refusal(415, 'unsupported', `“${file}” is a binary file. Confidant takes text: transcripts, subtitles, exports.`)
      const hash = createHash('sha256').update(body).digest('hex')
      const summary = (c) => ({ conversation_id: c.conversation_id, title: c.title, segments: c.segment_count })
      if (hashes.has(hash)) return { conversations: [summary(hashes.get(hash))], duplicate: true }
      const lines = parseTranscript(body.toString('utf8'))
      if (lines.length === 0) throw new Refusal(422, 'nothing_found', `No lines of speech were found in “${file}”.`)
      const added = memory.record(file.replace(/\.\w+$/, ''), lines, new Date().toISOString(), file)
      memory.take(added)
      hashes.set(hash, added)
      return { conversations: [summary(added)], duplicate: false }
    }],
  ]

  async function api(request, response, url) {
    if (await files.uploads.receive(request, response, url.pathname)) return
    const body = await readAll(request)
    const json = () => JSON.parse(body.toString('utf8'))
    const session = /confidant=(\w+)/.exec(request.headers.cookie ?? '')?.[1]
    if (url.pathname === '/api/session' && request.method === 'POST') {
      if (json().token !== token) throw new Refusal(401, 'unauthenticated', 'This token is not valid.')
      const id = randomBytes(16).toString('hex')
      sessions.add(id)
      response.writeHead(204, { 'set-cookie': `confidant=${id}; HttpOnly; SameSite=Strict; Path=/` }).end()
      return
    }
    if (!sessions.has(session)) throw new Refusal(401, 'unauthenticated', 'Sign in first.')
    if (url.pathname === '/api/session' && request.method === 'DELETE') {
      sessions.delete(session)
      response.writeHead(204, { 'set-cookie': 'confidant=; Max-Age=0; Path=/' }).end()
      return
    }
    for (const [method, pattern, handle] of routes) {
      const match = pattern.exec(url.pathname)
      if (!match || method !== request.method) continue
      const result = await handle({ ids: match.slice(1).map(decodeURIComponent), query: url.searchParams, json, body, request, response, page })
      if (result === 'streaming') return
      const [status, value] = Array.isArray(result) ? result : [result === undefined ? 204 : 200, result]
      response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(value === undefined ? undefined : JSON.stringify(value))
      return
    }
    throw missing()
  }

  async function file(response, path) {
    const name = path === '/' ? 'index.html' : normalize(path).replace(/^(\.\.[/\\])+/, '')
    const data = await readFile(join(assets, name)).catch(() => null)
    if (!data) throw missing()
    response.writeHead(200, { 'content-type': types[extname(name)] ?? 'application/octet-stream', 'content-security-policy': policy }).end(data)
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://mock')
    const handled = url.pathname.startsWith('/api/') ? api(request, response, url) : file(response, url.pathname)
    handled.catch((error) => {
      const { status = 500, code = 'internal', message } = error
      if (status === 500) console.error(error)
      response.writeHead(status, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ type: 'about:blank', title: code, status, detail: message, code }))
    })
  })
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}`
  return {
    url,
    token,
    turns,
    memory,
    files,
    /** Cuts every stream, as a network does. */
    cut: () => turns.cut(),
    close: () => new Promise((resolve) => {
      server.close(resolve)
      server.closeAllConnections()
    }),
  }
}

async function readAll(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const mock = await start({ port: Number(process.env.PORT ?? 8420), empty: process.argv.includes('--empty'), model: process.argv.includes('--builtin') ? 'builtin' : 'mock-1' })
  console.log(`${mock.url}/#token=${mock.token}`)
}
