const units = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** A size as people read it, in steps of 1,024: 812 bytes, 3.4 MB. */
export function bytes(n: number): string {
  let unit = 0
  let value = Math.max(0, n)
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  const digits = unit > 0 && value < 9.95 ? 1 : 0
  return `${value.toLocaleString(undefined, { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit === 0 && n === 1 ? 'byte' : units[unit]}`
}

/** How much of it has left: 3.1 of 12 MB. */
export function sentOf(sent: number, size: number): string {
  const [whole, part] = [bytes(size), bytes(Math.min(sent, size))]
  const unit = whole.slice(whole.lastIndexOf(' '))
  return part.endsWith(unit) ? `${part.slice(0, -unit.length)} of ${whole}` : `${part} of ${whole}`
}
