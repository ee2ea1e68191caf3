/** A fresh id. Not crypto.randomUUID, which a page on plain http in a home network does not have. */
export function freshId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
