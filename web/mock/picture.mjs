// A picture of a page as the mock server draws it: grey lines where the words of its chunks would be.
import { crc32, deflateSync } from 'node:zlib'

const table = crc32 ? null : Array.from({ length: 256 }, (_, n) => Array.from({ length: 8 }).reduce((c) => (c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1), n) >>> 0)
const sum = (data) => (crc32 ? crc32(data) : (data.reduce((crc, byte) => table[(crc ^ byte) & 255] ^ (crc >>> 8), -1) ^ -1) >>> 0)

/** The lines of each chunk, in fractions of the page. */
export function layout(chunks) {
  let y = 0.13
  return chunks.map(({ chunk_id, text }) => {
    const lines = Math.max(1, Math.ceil(text.length / 62))
    const rects = Array.from({ length: lines }, (_, i) => ({ x: 0.12, y: y + i * 0.026, width: i === lines - 1 && lines > 1 ? 0.45 : 0.76, height: 0.02 }))
    y += lines * 0.026 + 0.03
    return { chunk_id, rects }
  })
}

export function picture(page, width) {
  const height = Math.round(width * 1.414)
  const rows = Buffer.alloc((width + 1) * height, 255)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  const draw = ({ x, y, width: w, height: h }, shade) => {
    for (let row = Math.round(y * height); row < Math.min(height, Math.round((y + h) * height)); row++) rows.fill(shade, row * (width + 1) + 1 + Math.round(x * width), row * (width + 1) + 1 + Math.round((x + w) * width))
  }
  draw({ x: 0.12, y: 0.07, width: 0.5, height: 0.025 }, 60)
  for (const { rects } of layout(page.chunks)) for (const { x, y, width: w, height: h } of rects) draw({ x, y: y + h * 0.2, width: w, height: h * 0.6 }, 150)
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const out = Buffer.alloc(body.length + 8)
    out.writeUInt32BE(data.length, 0)
    body.copy(out, 4)
    out.writeUInt32BE(sum(body), body.length + 4)
    return out
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}
