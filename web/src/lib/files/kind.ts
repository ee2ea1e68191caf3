/** The kinds of files that a person tells apart; a MIME type belongs to the kind that has the longest beginning of it. */
const kinds = {
  pdf: ['PDF', ['application/pdf']],
  document: [
    'Documents',
    ['application/vnd.openxmlformats-officedocument.wordprocessingml', 'application/vnd.oasis.opendocument.text', 'application/msword', 'application/rtf', 'text/rtf', 'application/epub+zip'],
  ],
  slides: ['Slides', ['application/vnd.openxmlformats-officedocument.presentationml', 'application/vnd.oasis.opendocument.presentation', 'application/vnd.ms-powerpoint']],
  sheet: [
    'Sheets',
    ['application/vnd.openxmlformats-officedocument.spreadsheetml', 'application/vnd.oasis.opendocument.spreadsheet', 'application/vnd.ms-excel', 'text/csv', 'text/tab-separated-values'],
  ],
  web: ['Web pages', ['text/html', 'application/xhtml+xml']],
  mail: ['Mail', ['message/', 'application/mbox', 'application/vnd.ms-outlook']],
  picture: ['Pictures', ['image/']],
  text: ['Text', ['text/plain', 'text/markdown', 'text/xml', 'text/x-', 'text/css', 'text/javascript', 'text/vtt', 'application/json', 'application/xml', 'application/x-', 'application/javascript']],
} as const satisfies Record<string, readonly [name: string, types: readonly string[]]>

export type FileKind = keyof typeof kinds

export const fileKinds = Object.entries(kinds).map(([kind, [name]]) => [kind as FileKind, name] as const)

/** The beginnings of MIME types by which the server filters; none for a kind that there is not. */
export const typesOf = (kind: FileKind): readonly string[] => (Object.hasOwn(kinds, kind) ? kinds[kind][1] : [])

export function kindOf(type: string): FileKind {
  let best: FileKind = 'text'
  let longest = 0
  for (const [kind] of fileKinds) {
    for (const beginning of typesOf(kind)) {
      if (beginning.length > longest && type.startsWith(beginning)) [best, longest] = [kind, beginning.length]
    }
  }
  return best
}

/** What a person calls one file of this type. */
export function typeName(type: string): string {
  return { pdf: 'PDF', document: 'Document', slides: 'Slides', sheet: 'Sheet', web: 'Web page', mail: 'Mail', picture: 'Picture', text: 'Text' }[kindOf(type)]
}

/** What the pages of such a file are called. */
export function pageWord(type: string): string {
  return { slides: 'slide', sheet: 'sheet' }[kindOf(type) as string] ?? 'page'
}
