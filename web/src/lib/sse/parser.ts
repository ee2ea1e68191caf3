/** One server-sent event. `id` is the last one seen so far, as the standard has it. */
export interface ServerEvent {
  id: string
  event: string
  data: string
}

/**
 * Reads text/event-stream as the HTML standard says (section 9.2.6), from pieces cut anywhere: CR, LF and CRLF
 * end a line, a line that starts with a colon is a comment, and an event that no blank line ended is dropped.
 */
export class EventParser {
  #rest = ''
  #afterCR = false
  #first = true
  #id = ''
  #event = ''
  #data: string[] = []

  push(text: string): ServerEvent[] {
    const events: ServerEvent[] = []
    if (this.#first && text !== '') {
      this.#first = false
      if (text.startsWith('\uFEFF')) text = text.slice(1)
    }
    let start = 0
    for (let i = 0; i < text.length; i++) {
      const char = text.charCodeAt(i)
      if (char === 10 && this.#afterCR) {
        this.#afterCR = false
        start = i + 1
        continue
      }
      this.#afterCR = false
      if (char !== 10 && char !== 13) continue
      this.#afterCR = char === 13
      const done = this.#line(this.#rest + text.slice(start, i))
      this.#rest = ''
      start = i + 1
      if (done) events.push(done)
    }
    this.#rest += text.slice(start)
    return events
  }

  #line(line: string): ServerEvent | null {
    if (line === '') {
      const { length } = this.#data
      const event = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') }
      this.#event = ''
      this.#data = []
      return length === 0 ? null : event
    }
    const colon = line.indexOf(':')
    if (colon === 0) return null
    const field = colon === -1 ? line : line.slice(0, colon)
    let value = colon === -1 ? '' : line.slice(colon + 1)
    if (value.startsWith(' ')) value = value.slice(1)
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#event = value
    else if (field === 'id' && !value.includes('\0')) this.#id = value
    return null
  }
}
