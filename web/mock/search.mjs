// Keyword search over everything, good enough to be believed, with a receipt.
const stop = new Set('the and for you what did was were who how much about that this with from said say when where does have had are not which tell will'.split(' '))
export const words = (text) => new Set((text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? []).filter((word) => !stop.has(word)))

function* passages({ conversations, facts = [], tasks = [], events = [], files }) {
  for (const conversation of conversations) {
    const { conversation_id, title, started_at, mentions } = conversation
    const people = [...(mentions?.people ?? []), ...conversation.speakers.map((speaker) => speaker.toLowerCase())]
    if (conversation.overview) yield { kind: 'summary', id: conversation_id, conversation_id, segment_id: '', title, speaker: '', at: started_at, text: conversation.overview, people }
    for (const { segment_id, speaker, start, text } of conversation.segments) {
      yield { kind: 'conversation', id: segment_id, conversation_id, segment_id, title, speaker, at: new Date(Date.parse(started_at) + (start ?? 0) * 1000).toISOString(), text, people }
    }
  }
  for (const fact of facts) if (!fact.superseded_by && fact.review !== 'rejected') yield { kind: 'memory', id: fact.memory_id, conversation_id: fact.conversation_id ?? '', segment_id: '', title: 'Fact', speaker: '', at: fact.valid_from, text: fact.content, people: [] }
  for (const task of tasks) yield { kind: 'task', id: task.task_id, conversation_id: task.conversation_id ?? '', segment_id: '', title: 'Task', speaker: '', at: task.due_at ?? null, text: task.description, people: [] }
  for (const event of events) yield { kind: 'event', id: event.event_id, conversation_id: '', segment_id: '', title: event.title, speaker: '', at: event.start, text: [event.title, event.location].filter(Boolean).join(', '), people: (event.attendees ?? []).map(({ name }) => name.toLowerCase()) }
  for (const { file_id, name, summary = '', created_at, pages } of files?.all ?? []) {
    yield { kind: 'file', id: file_id, file_id, title: name, at: created_at, text: summary, people: [] }
    for (const { page, chunks } of pages) for (const chunk of chunks) yield { kind: 'chunk', id: chunk.chunk_id, file_id, chunk_id: chunk.chunk_id, page, title: name, at: created_at, text: chunk.text, people: [] }
  }
}

function scored(asked, { text, title }) {
  const said = [...words(text)]
  const about = words(title)
  const hits = asked.filter((word) => said.some((other) => other.startsWith(word) || word.startsWith(other))).length
  const session = hits > 0 ? asked.filter((word) => about.has(word)).length / 2 : 0
  return { words: hits, meaning: hits > 0 ? Math.min(0.9, hits / (asked.length + 1)) : 0, session, score: hits + session }
}

/** The lines of conversations, as the mock's answers use them. */
export function search(conversations, query, limit = 20) {
  const asked = [...words(query)]
  return [...passages({ conversations })]
    .filter((passage) => passage.kind === 'conversation')
    .map((passage) => ({ ...passage, ...scored(asked, passage) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
}

export function searchAll(memory, query) {
  const q = query.get('q') ?? ''
  const asked = [...words(q)]
  const list = (name) => (query.get(name) ?? '').split(',').filter(Boolean)
  const [kinds, people] = [list('kinds'), list('people').map((name) => name.toLowerCase())]
  const [from, until] = [query.get('from'), query.get('until')]
  const dropped = []
  const inKindAndTime = ({ kind, at }) => (kinds.length === 0 || kinds.includes(kind)) && (!from || (at ?? '') >= from) && (!until || (at ?? '9') < until)
  const all = [...passages(memory)].filter(inKindAndTime).map((passage) => ({ ...passage, ...scored(asked, passage) })).filter(({ score }) => score > 0)
  let found = all.filter((passage) => people.every((name) => passage.people.some((other) => name.startsWith(other) || other.startsWith(name))))
  let note
  if (found.length === 0 && all.length > 0) {
    found = all
    note = `Nothing with ${list('people').join(', ')} was found; this is without that filter.`
    dropped.push({ what: `people: ${list('people').join(', ')}`, why: 'nothing matched it together with the words' })
  }
  found.sort((a, b) => b.score - a.score)
  const best = found[0]?.score ?? 0
  const results = found.filter(({ score }) => score > best / 3).slice(0, Number(query.get('limit') ?? 20))
  const receipt = {
    query: q, terms: asked, phrases: [...q.matchAll(/[“"]([^”"]+)[”"]/g)].map(([, phrase]) => phrase), window: from || until ? { from, until, words: '' } : null, filters: { kinds, people: list('people') }, dropped,
    candidates: found.slice(0, 30).map(({ title, text, words, meaning, session, score }) => ({ title, text, words, meaning, neighbour: 0, session, score, ...(score <= best / 3 && { dropped: 'below a third of the best' }) })),
  }
  return { results: results.map(({ people: _, words: __, meaning: ___, session: ____, ...hit }) => hit), ...(note && { note }), ...(query.get('receipt') && { receipt }) }
}
