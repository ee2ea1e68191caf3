/** An answer that says no (RFC 9457), or no answer at all. `message` is fit for a person. */
export class Problem extends Error {
  constructor(
    /** The HTTP status; 0 when the server could not be reached. */
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message)
    this.name = 'Problem'
  }

  /** True when asking again may help. */
  get passing(): boolean {
    return this.status === 0 || this.status === 408 || this.status === 429 || this.status >= 500
  }
}

export function unreachable(): Problem {
  return new Problem(0, 'unreachable', 'Confidant cannot be reached. Is the server running?')
}

/** Reads a refusal's body, whatever shape it has. */
export function problemFrom(status: number, body: string): Problem {
  try {
    const parsed: unknown = JSON.parse(body)
    if (typeof parsed === 'object' && parsed !== null) {
      const { detail, title, code } = parsed as Record<string, unknown>
      const text = [detail, title].find((part) => typeof part === 'string' && part !== '')
      return new Problem(status, typeof code === 'string' ? code : `http_${status}`, (text as string | undefined) ?? byStatus(status))
    }
  } catch {
    // Not JSON: a proxy's page, or nothing. Never shown as it is.
  }
  return new Problem(status, `http_${status}`, byStatus(status))
}

function byStatus(status: number): string {
  if (status === 401) return 'You are signed out.'
  if (status === 404) return 'It is not there any more.'
  if (status === 413) return 'That is larger than this server takes.'
  if (status === 429) return 'Too many requests. Wait a moment, then try again.'
  if (status >= 500) return 'The server had a problem. Try again in a moment.'
  return `The server refused (${status}).`
}

/** What to show a person for anything that was thrown. */
export function explain(error: unknown): string {
  if (error instanceof Problem) return error.message
  return 'Something went wrong in the page. Reload it and try again.'
}
