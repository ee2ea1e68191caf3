import { deleteConversation, listConversations } from '../lib/api/conversations'
import { explain } from '../lib/api/problem'
import type { Conversation } from '../lib/api/types'
import { toasts } from './toast.svelte'

class Recordings {
  all = $state.raw<Conversation[]>([])
  cursor = $state<string | null>(null)
  loading = $state(false)
  loaded = $state(false)
  error = $state<string | null>(null)

  async more(): Promise<void> {
    if (this.loading || (this.loaded && this.cursor === null)) return
    await this.#page(false)
  }

  /** The list from its beginning, after something was added. */
  refresh(): Promise<void> {
    return this.#page(true)
  }

  async #page(fresh: boolean): Promise<void> {
    this.loading = true
    this.error = null
    try {
      const page = await listConversations(fresh ? null : this.cursor)
      const before = fresh ? [] : this.all
      const known = new Set(before.map((item) => item.conversation_id))
      this.all = [...before, ...page.conversations.filter((item) => !known.has(item.conversation_id))]
      this.cursor = page.next_cursor
      this.loaded = true
    } catch (error) {
      this.error = explain(error)
    } finally {
      this.loading = false
    }
  }

  async remove(id: string): Promise<boolean> {
    try {
      await deleteConversation(id)
      this.all = this.all.filter((item) => item.conversation_id !== id)
      return true
    } catch (error) {
      toasts.show(`Not deleted. ${explain(error)}`)
      return false
    }
  }
}

export const recordings = new Recordings()
