import type { NewSegment } from '../lib/api/conversations'

/** What a person wrote, cut into what each one says: a paragraph is the writer's own, "Maya: Hello" is Maya's. */
export function linesOf(text: string, me: string): NewSegment[] {
  const lines: NewSegment[] = []
  for (const paragraph of text.split(/\n\s*\n/)) {
    let own: string[] = []
    const close = () => {
      if (own.length > 0) lines.push({ speaker: me, text: own.join('\n'), is_user: true })
      own = []
    }
    for (const line of paragraph.split('\n').map((line) => line.trim())) {
      const said = /^(\p{Lu}[\p{L}.’'-]*(?: \p{Lu}[\p{L}.’'-]*){0,2}): +(\S.*)$/u.exec(line)
      if (said) {
        close()
        lines.push({ speaker: said[1]!, text: said[2]!, is_user: said[1] === me })
      } else if (line !== '') own.push(line)
    }
    close()
  }
  return lines
}
