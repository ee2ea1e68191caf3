/** An answer that says no. */
export class Refusal extends Error {
  constructor(status, code, detail) {
    super(detail)
    Object.assign(this, { status, code })
  }
}

export const missing = () => new Refusal(404, 'not_found', 'It is not there.')
export const invalid = (detail) => new Refusal(400, 'invalid', detail)
export const conflict = (detail) => new Refusal(409, 'conflict', detail)
