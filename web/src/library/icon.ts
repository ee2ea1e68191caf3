import type { IconName } from '../ui/icons'
import { kindOf } from '../lib/files/kind'

/** The icon of a file, and which of the page's colours it has; -1: none of its own. */
export function iconOf(type: string): { icon: IconName; tint: number } {
  switch (kindOf(type)) {
    case 'pdf':
      return { icon: 'file', tint: 1 }
    case 'document':
      return { icon: 'document', tint: 2 }
    case 'slides':
      return { icon: 'slides', tint: 3 }
    case 'sheet':
      return { icon: 'sheet', tint: 0 }
    case 'web':
      return { icon: 'globe', tint: 5 }
    case 'mail':
      return { icon: 'mail', tint: 4 }
    case 'picture':
      return { icon: 'picture', tint: 3 }
    default:
      return { icon: 'text', tint: -1 }
  }
}
