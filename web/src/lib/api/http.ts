import { Problem, problemFrom, unreachable } from './problem'

let onSignedOut: () => void = () => {}

/** Called whenever the server says that there is no session. */
export function whenSignedOut(handler: () => void): void {
  onSignedOut = handler
}

/** Fetches, and throws a Problem for every answer that is not 2xx. Paths are relative to the page. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init })
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw unreachable()
  }
  if (response.ok) return response
  const problem = problemFrom(response.status, await response.text().catch(() => ''))
  if (problem.status === 401) onSignedOut()
  throw problem
}

export async function getJSON<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await request(path, { headers: { Accept: 'application/json' }, ...(signal && { signal }) })
  return read<T>(response)
}

export async function sendJSON<T>(method: string, path: string, body: unknown, headers: Record<string, string> = {}): Promise<T> {
  const response = await request(path, {
    method,
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return read<T>(response)
}

/** Sends with nothing to read back. */
export async function send(method: string, path: string, body?: unknown): Promise<void> {
  await request(path, {
    method,
    ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  })
}

async function read<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T
  } catch {
    throw new Problem(response.status, 'unreadable', 'The server sent an answer that this page cannot read.')
  }
}

/** A query string from the values that are set, with its question mark; the values of a list repeat their name. */
export function query(values: Record<string, string | number | readonly string[] | null | undefined>): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value as string | number | null | undefined]) {
      if (one !== null && one !== undefined && one !== '') params.append(name, String(one))
    }
  }
  const text = params.toString()
  return text === '' ? '' : `?${text}`
}
