// A journal of the mock server: numbered events, and those who follow them.
export class Journal {
  events = []
  #followers = new Set()

  /** `about`: the fields that every event has. */
  constructor(about) {
    this.about = about
  }

  append(fields) {
    const event = { seq: this.events.length + 1, at: new Date().toISOString(), ...this.about, ...fields }
    this.events.push(event)
    for (const send of this.#followers) send(event)
  }

  /** Server-sent events after a number, until the journal is closed or the client leaves. */
  follow(after, response) {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.write(': ping\n\n')
    const stop = () => {
      this.#followers.delete(send)
      response.end()
    }
    const send = (event) => {
      response.write(`id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      if (event.type === 'turn.closed') stop()
    }
    response.on('close', stop)
    this.#followers.add(send)
    this.events.slice(after).forEach(send)
    return 'streaming'
  }
}
