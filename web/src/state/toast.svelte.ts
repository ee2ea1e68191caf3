export interface Toast {
  id: number
  text: string
  action?: { label: string; run: () => void }
}

class Toasts {
  all = $state.raw<Toast[]>([])
  #last = 0

  show(text: string, action?: Toast['action'], ms = 6_000): number {
    const id = ++this.#last
    this.all = [...this.all, action ? { id, text, action } : { id, text }]
    setTimeout(() => this.dismiss(id), ms)
    return id
  }

  /** Runs what the newest toast offers. */
  act(): void {
    const toast = this.all.findLast(({ action }) => action)
    if (!toast) return
    toast.action!.run()
    this.dismiss(toast.id)
  }

  dismiss(id: number): void {
    this.all = this.all.filter((toast) => toast.id !== id)
  }
}

export const toasts = new Toasts()

/** Words for screen readers only. */
class Announcer {
  words = $state('')
  say(words: string): void {
    // The same words twice are a change only if something differs.
    this.words = words === this.words ? `${words}\u00A0` : words
  }
}

export const announcer = new Announcer()
