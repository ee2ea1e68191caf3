import type { Citation } from '../lib/api/types'

/** A reference [5](FILEID) in an answer: a page of a file. */
export interface PageReference {
  citation: Citation
  /** What stands in the brackets: the page, or what the document calls it. */
  label: string
  /** False while the answer grows and its source has not come yet. */
  known: boolean
}

/**
 * What a link of an answer refers to: the citation of that page, else the page of a file that is cited elsewhere.
 * Null for what is no reference: an ordinary link, or one to a file that the answer does not cite.
 */
export function pageCited(label: string, target: string, citations: Citation[], growing: boolean): PageReference | null {
  const pages = citations.filter((citation) => citation.kind === 'page' && citation.file_id === target)
  const number = /\d+/.exec(label)
  const page = number ? Number(number[0]) : null
  const citation = pages.find((candidate) => candidate.page === page) ?? (page === null ? pages[0] : undefined)
  if (citation) return { citation, label, known: true }
  const [file] = pages
  if (file && page !== null && page > 0) return { citation: { n: 0, kind: 'page', file_id: target, page, title: file.title, quote: '' }, label, known: true }
  // An id is no address: it has neither a colon nor a slash nor a dot.
  if (growing && /^[\w-]+$/.test(target)) return { citation: { n: 0, kind: 'page', file_id: target, title: '', quote: '' }, label, known: false }
  return null
}
