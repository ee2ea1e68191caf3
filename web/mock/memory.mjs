// The native API of what is remembered, in memory: conversations, facts, tasks, calendar, people, folders, timeline.
import { recorder, recordings } from './data.mjs'
import { occurrences } from './recurrence.mjs'
import { conflict, invalid, missing, Refusal } from './refusal.mjs'
import * as records from './records.mjs'
import { searchAll } from './search.mjs'

const now = () => new Date().toISOString()
const outline = ({ segments: _, ...conversation }) => conversation

/** Lists and single records of one kind: /api/NAME and /api/NAME/{id}. */
function crud(name, idName, store, { make, patch = (json) => json, list = (all) => all, removed = () => {} }) {
  const find = (id) => store.find((record) => record[idName] === id) ?? (() => { throw missing() })()
  let count = 0
  return [
    ['GET', new RegExp(`^/api/${name}$`), ({ query, page }) => page(list(store, query), query, name)],
    ['POST', new RegExp(`^/api/${name}$`), ({ json }) => {
      const record = { [idName]: `${name}-new-${++count}`, created_at: now(), updated_at: now(), revision: 1, ...make(json()) }
      store.unshift(record)
      return [201, record]
    }],
    ['PATCH', new RegExp(`^/api/${name}/([^/]+)$`), ({ ids, json }) => {
      const record = find(ids[0])
      const { revision, ...change } = json()
      if (revision !== undefined && revision !== record.revision) throw conflict('It was changed meanwhile.')
      return Object.assign(record, patch(change, record), { updated_at: now(), revision: record.revision + 1 })
    }],
    ['DELETE', new RegExp(`^/api/${name}/([^/]+)$`), ({ ids }) => {
      removed(find(ids[0]))
      store.splice(store.indexOf(find(ids[0])), 1)
    }],
  ]
}

export class Memory {
  constructor({ empty, processing }) {
    this.processing = processing
    this.record = recorder()
    this.conversations = empty ? [] : recordings(this.record)
    this.facts = empty ? [] : records.facts(this.conversations)
    this.tasks = empty ? [] : records.tasks(this.conversations)
    this.events = empty ? [] : records.events()
    this.people = empty ? [] : records.people()
    this.folders = empty ? [] : records.folders()
    /** Event id → when an occurrence would have begun → what was changed, null when it was deleted. */
    this.changed = new Map()
    this.routes = [...this.#conversations(), ...this.#facts(), ...this.#tasks(), ...this.#calendar(), ...this.#people(), ...this.#others()]
  }

  find(id) {
    return this.conversations.find((conversation) => conversation.conversation_id === id) ?? (() => { throw missing() })()
  }

  /** Stores a new conversation, and begins to understand it. */
  take(conversation) {
    this.conversations.push(conversation)
    this.processing.start(conversation, (done) => {
      if (!done.title) done.title = done.segments[0]?.text.split(/\s+/).slice(0, 7).join(' ') ?? ''
      if (!done.emoji) done.emoji = '📝'
    })
    return conversation
  }

  #forget(conversation) {
    const id = conversation.conversation_id
    this.conversations.splice(this.conversations.indexOf(conversation), 1)
    for (const list of [this.facts, this.tasks, this.events]) list.splice(0, list.length, ...list.filter((record) => record.conversation_id !== id))
  }

  #conversations() {
    const mentions = (conversation, kind, value) => conversation.mentions[kind]?.includes(value.toLowerCase()) || (kind === 'people' && conversation.speakers.some((speaker) => speaker.toLowerCase() === value.toLowerCase()))
    const passes = (query) => (conversation) =>
      (!query.get('status') || conversation.status === query.get('status')) &&
      (!query.get('starred') || conversation.starred) &&
      (query.get('discarded') || !conversation.discarded) &&
      (query.get('locked') || !conversation.locked) &&
      (!query.get('folder') || conversation.folder_id === query.get('folder')) &&
      (!query.get('from') || conversation.started_at >= query.get('from')) &&
      (!query.get('until') || conversation.started_at < query.get('until')) &&
      [['person', 'people'], ['topic', 'topics'], ['entity', 'entities'], ['date', 'dates']].every(([key, kind]) => !query.get(key) || mentions(conversation, kind, query.get(key)))
    const append = (conversation, segments) => {
      const known = new Set(conversation.segments.map((segment) => segment.client_id).filter(Boolean))
      const stored = segments.filter((segment) => !known.has(segment.client_id)).map((segment, i) => {
        const position = conversation.segments.length + i
        return { start: null, end: null, is_user: false, ...segment, position, segment_id: `${conversation.conversation_id}.${position}` }
      })
      conversation.segments.push(...stored)
      conversation.revision++
      return stored
    }
    const path = (rest = '') => new RegExp(`^/api/conversations/([^/]+)${rest}$`)
    return [
      ['GET', /^\/api\/conversations$/, ({ query, page }) => page([...this.conversations].sort((a, b) => b.started_at.localeCompare(a.started_at)).filter(passes(query)).map(outline), query, 'conversations')],
      ['POST', /^\/api\/conversations$/, ({ json }) => {
        const { title = '', segments = [], source = 'api', live = false, started_at = now() } = json()
        const conversation = this.record(title, [], started_at, source, { named: title !== '' })
        append(conversation, segments)
        conversation.finished_at = now()
        if (!live) return [201, outline(this.take(conversation))]
        conversation.status = 'in_progress'
        this.conversations.push(conversation)
        return [201, outline(conversation)]
      }],
      ['POST', /^\/api\/conversations\/merge$/, ({ json }) => {
        const [into, ...others] = json().conversation_ids.map((id) => this.find(id))
        const began = Date.parse(into.started_at)
        const all = [into, ...others].flatMap((conversation) => {
          const by = (Date.parse(conversation.started_at) - began) / 1000
          return conversation.segments.map((segment) => ({ ...segment, start: segment.start + by, end: segment.end + by }))
        })
        into.segments = all.sort((a, b) => a.start - b.start).map((segment, position) => ({ ...segment, position, segment_id: `${into.conversation_id}.${position}` }))
        into.finished_at = [into, ...others].map((conversation) => conversation.finished_at).sort().at(-1)
        others.forEach((conversation) => this.#forget(conversation))
        this.processing.start(into)
        return outline(into)
      }],
      ['GET', path(), ({ ids, query }) => {
        const conversation = this.find(ids[0])
        const position = Number(query.get('around')?.split('.')[1] ?? NaN)
        const from = Number.isNaN(position) ? 0 : Math.max(0, position - 100)
        return {
          ...outline(conversation), segments: conversation.segments.slice(from, from + 200), steps: this.processing.steps(conversation),
          memories: this.facts.filter((fact) => fact.conversation_id === ids[0] && !fact.superseded_by), tasks: this.tasks.filter((task) => task.conversation_id === ids[0]), embedding: { pending: 0 },
        }
      }],
      ['GET', path('/segments'), ({ ids, query }) => {
        const after = Number(query.get('after') ?? -1)
        return { segments: this.find(ids[0]).segments.filter((segment) => segment.position > after).slice(0, Number(query.get('limit') ?? 200)) }
      }],
      ['POST', path('/segments'), ({ ids, json }) => {
        const conversation = this.find(ids[0])
        if (conversation.status !== 'in_progress') throw conflict('This conversation is finished.')
        return { stored: append(conversation, json().segments) }
      }],
      ['POST', path('/(finish|reprocess)'), ({ ids }) => {
        const conversation = this.find(ids[0])
        if (ids[1] === 'finish') conversation.finished_at = now()
        this.processing.start(conversation, (done) => { done.title ||= 'Finished talk' })
        return outline(conversation)
      }],
      ['GET', path('/events'), ({ ids, query, response }) => this.processing.journal(this.find(ids[0]))?.follow(Number(query.get('after') ?? 0), response) ?? (() => { throw missing() })()],
      ['POST', path('/speakers'), ({ ids, json }) => {
        const { from, name, person_id, is_user = false } = json()
        const said = this.find(ids[0]).segments.filter((segment) => segment.speaker === from)
        for (const segment of said) Object.assign(segment, { speaker: name, is_user, ...(person_id && { person_id }) })
        return { changed: said.length }
      }],
      ['PATCH', path(), ({ ids, json }) => {
        const conversation = this.find(ids[0])
        const { revision, ...change } = json()
        if (revision !== undefined && revision !== conversation.revision) throw conflict('It was changed meanwhile.')
        return outline(Object.assign(conversation, change, { updated_at: now(), revision: conversation.revision + 1 }))
      }],
      ['DELETE', path(), ({ ids }) => void this.#forget(this.find(ids[0]))],
    ]
  }

  #facts() {
    const holds = (fact) => !fact.superseded_by && fact.review !== 'rejected'
    const words = (content) => {
      if (content.split(/\s+/).filter(Boolean).length > 15) throw invalid('A fact has 15 words at most.')
      return content
    }
    return [
      ['GET', /^\/api\/memories\/([^/]+)$/, ({ ids }) => {
        const fact = this.facts.find((candidate) => candidate.memory_id === ids[0]) ?? (() => { throw missing() })()
        const history = []
        for (let at = fact; at; at = this.facts.find((older) => older.superseded_by === at.memory_id)) if (at !== fact) history.push(at)
        return { ...fact, history, successor: this.facts.find((newer) => newer.memory_id === fact.superseded_by) ?? null }
      }],
      ...crud('memories', 'memory_id', this.facts, {
        list: (all, query) => all.filter((fact) => query.get('all') || holds(fact)).sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.created_at.localeCompare(a.created_at)),
        make: ({ content, ...rest }) => ({ content: words(content), category: 'manual', tags: [], valid_from: now(), manually_added: true, edited: false, pinned: false, review: '', visibility: 'private', locked: false, ...rest }),
        patch: (change) => ({ ...change, ...(change.content && { content: words(change.content), edited: true }) }),
      }),
    ]
  }

  #tasks() {
    return crud('tasks', 'task_id', this.tasks, {
      list: (all, query) => all.filter((task) => !query.get('completed') || String(task.completed) === query.get('completed')),
      make: (json) => ({ completed: false, edited: true, ...json }),
      patch: (change) => ({ ...change, edited: true, ...(change.due_at === null && { due_at: undefined }), ...(change.completed !== undefined && { completed_at: change.completed ? now() : undefined }) }),
    })
  }

  #calendar() {
    const changes = (id) => this.changed.get(id) ?? this.changed.set(id, new Map()).get(id)
    const event = (id) => this.events.find((candidate) => candidate.event_id === id) ?? (() => { throw missing() })()
    const stored = (record) => ({ ...record, recurring: (record.recurrence ?? []).length > 0 })
    const path = /^\/api\/calendar\/([^/]+)$/
    const stamp = (text) => text.replace(/^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z?)?$/, (_, y, m, d, h = '00', i = '00', s = '00') => `${y}-${m}-${d}T${h}:${i}:${s}.000Z`)
    const add = (fields) => {
      const record = { event_id: `event-new-${this.events.length + 1}`, created_at: now(), updated_at: now(), revision: 1, all_day: false, zone: 'UTC', ...fields }
      this.events.push(record)
      return record
    }
    return [
      ['GET', /^\/api\/calendar$/, ({ query }) => {
        const [from, until] = [Date.parse(query.get('from')), Date.parse(query.get('until'))]
        if (!(until - from <= 401 * 86_400_000)) throw invalid('from and until are needed, at most 400 days apart.')
        return { events: this.events.flatMap((record) => occurrences(record, from, until, changes(record.event_id))).sort((a, b) => a.start.localeCompare(b.start)) }
      }],
      ['POST', /^\/api\/calendar$/, ({ json }) => [201, stored(add(json()))]],
      ['POST', /^\/api\/calendar\/import$/, ({ body }) => {
        const failed = []
        let created = 0
        for (const [, text] of body.toString('utf8').matchAll(/BEGIN:VEVENT\r?\n([\s\S]*?)END:VEVENT/g)) {
          const value = (name) => new RegExp(`^${name}[^:\\n]*:(.*)$`, 'm').exec(text)?.[1]?.trim()
          if (!value('DTSTART')) failed.push({ line: 3, reason: 'An event has no start.' })
          else {
            const start = stamp(value('DTSTART'))
            add({ uid: value('UID'), title: value('SUMMARY') ?? '', start, end: stamp(value('DTEND') ?? value('DTSTART')), all_day: !value('DTSTART').includes('T'), ...(value('RRULE') && { recurrence: [`RRULE:${value('RRULE')}`] }) })
            created++
          }
        }
        return { created, updated: 0, failed }
      }],
      ['GET', /^\/api\/calendar\.ics$/, ({ response }) => (response.writeHead(200, { 'content-type': 'text/calendar' }).end('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'), 'streaming')],
      ['PATCH', path, ({ ids, query, json }) => {
        const record = event(ids[0])
        const occurrence = query.get('occurrence')
        if (!occurrence) return stored(Object.assign(record, json(), { revision: record.revision + 1 }))
        const key = new Date(occurrence).toISOString()
        changes(ids[0]).set(key, { ...changes(ids[0]).get(key), ...json() })
        return { ...stored(record), ...changes(ids[0]).get(key), occurrence: key }
      }],
      ['DELETE', path, ({ ids, query }) => {
        const record = event(ids[0])
        if (query.get('occurrence')) changes(ids[0]).set(new Date(query.get('occurrence')).toISOString(), null)
        else this.events.splice(this.events.indexOf(record), 1)
      }],
    ]
  }

  #people() {
    const named = (person) => [person.name, ...(person.aliases ?? [])].map((name) => name.toLowerCase())
    const withThem = (person) => this.conversations.filter((conversation) => named(person).some((name) => conversation.mentions.people?.includes(name) || conversation.speakers.some((speaker) => speaker.toLowerCase() === name))).length
    return [
      ...crud('people', 'person_id', this.people, { list: (all) => all.map((person) => ({ ...person, conversations: withThem(person) })).sort((a, b) => a.name.localeCompare(b.name)), make: (json) => json }),
      ...crud('folders', 'folder_id', this.folders, {
        make: (json) => json,
        removed: (folder) => this.conversations.forEach((conversation) => { if (conversation.folder_id === folder.folder_id) conversation.folder_id = '' }),
      }),
    ]
  }

  #others() {
    return [
      ['GET', /^\/api\/timeline$/, ({ query }) => {
        const [from, until] = [query.get('from'), query.get('until')]
        const days = new Map()
        const name = (time) => new Date(time).toLocaleDateString('sv-SE', { timeZone: query.get('zone') ?? 'UTC' })
        const count = (time, kind, by = 1) => {
          if (!time || time < from || time >= until) return
          const day = days.get(name(time)) ?? { date: name(time), conversations: 0, seconds: 0, memories: 0, tasks: 0, events: 0 }
          day[kind] += by
          days.set(day.date, day)
        }
        for (const conversation of this.conversations) {
          count(conversation.started_at, 'conversations')
          count(conversation.started_at, 'seconds', Math.round((Date.parse(conversation.finished_at) - Date.parse(conversation.started_at)) / 1000))
        }
        this.facts.forEach((fact) => count(fact.valid_from, 'memories'))
        this.tasks.forEach((task) => count(task.created_at, 'tasks'))
        for (const event of this.events) for (const { start } of occurrences(event, Date.parse(from), Date.parse(until), this.changed.get(event.event_id))) count(start, 'events')
        return { days: [...days.values()].sort((a, b) => a.date.localeCompare(b.date)) }
      }],
      ['GET', /^\/api\/search$/, ({ query }) => searchAll(this, query)],
      ['GET', /^\/api\/export$/, ({ response }) => (response.writeHead(200, { 'content-type': 'application/zip' }).end(Buffer.from('PK\x05\x06' + '\0'.repeat(18), 'binary')), 'streaming')],
      ['DELETE', /^\/api\/data$/, ({ json }) => {
        if (json().confirm !== 'delete everything') throw new Refusal(400, 'invalid', 'confirm has to say: delete everything')
        for (const list of [this.conversations, this.facts, this.tasks, this.events, this.people, this.folders]) list.length = 0
      }],
    ]
  }
}
