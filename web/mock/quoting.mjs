// What the mock server answers out of files: each sentence with a reference [Page](FILEID) to where it stands.
import { call, done, finish, say } from './answers.mjs'

const short = (text) => text.replace(/^\s*(?:[-*]|\d+\.|\|?[-:| ]{3,}$)/gm, '').replace(/[*_`#>|\n]+/g, ' ').replace(/\s+/g, ' ').trim()

function cite(hit, label) {
  return { n: 0, kind: 'page', file_id: hit.file_id, page: hit.page, chunk_id: hit.chunk_id, title: hit.name, quote: hit.text.slice(0, 200), ...(label && { label }) }
}

/** An answer from files, when some were chosen or the question is about the handbook; null for any other. */
export function aboutFiles(message, files, fileIds) {
  if (fileIds.length === 0 && !/handbook/i.test(message)) return null
  return fromFiles(message, files, fileIds)
}

function* fromFiles(message, files, fileIds) {
  yield [{ type: 'status', text: 'Reading in the library' }, 60]
  const hits = files.passages(message, fileIds).slice(0, 3)
  yield call('c1', 'search_files', 'Searching files', { query: message, file_ids: fileIds })
  const citations = hits.map((hit) => cite(hit))
  yield done('c1', hits.length === 1 ? '1 passage' : `${hits.length} passages`, { results: hits }, { sources: citations })
  if (hits.length === 0) {
    const text = `Nothing about that is in ${fileIds.length === 1 ? 'this file' : 'these files'}.`
    yield* say(text)
    yield* finish(text)
    return
  }
  const lines = hits.map((hit) => `- ${short(hit.text).slice(0, 110)} [${hit.page}](${hit.file_id})`)
  const text = `This is what is written:\n\n${lines.join('\n')}\n\nMore about gauges is on [a page of the web](https://tides.example/), and [nowhere](file-unknown).`
  yield* say(text, 6)
  yield* finish(text, citations)
}
