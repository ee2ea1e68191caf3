import * as api from '../lib/api/conversations'
import type { Conversation } from '../lib/api/records'
import { succeeds, attempt } from './attempt'
import { Pages } from './pages.svelte'

/** The conversations that the filter of the list lets through. */
class Conversations extends Pages<Conversation> {
  filter = $state.raw<api.ConversationFilter>({})

  constructor() {
    super(
      async (cursor) => {
        const page = await api.listConversations(this.filter, cursor)
        return { items: page.conversations ?? [], next: page.next_cursor }
      },
      (conversation) => conversation.conversation_id,
    )
  }

  show(filter: api.ConversationFilter): void {
    if (this.loaded && JSON.stringify(filter) === JSON.stringify(this.filter)) return void this.refreshShown()
    this.filter = filter
    void this.reset()
  }

  /** What changed of those that are at the top, without losing one's place further down. */
  async refreshShown(): Promise<void> {
    const { filter, changes } = this
    const page = await api.listConversations(filter, null).catch(() => null)
    if (!page || filter !== this.filter || changes !== this.changes) return
    const known = new Set(this.all.map(this.id))
    const shown = page.conversations ?? []
    const fresh = shown.filter((item) => !known.has(item.conversation_id))
    const changed = new Map(shown.map((item) => [item.conversation_id, item]))
    const all = [...fresh, ...this.all.map((item) => changed.get(item.conversation_id) ?? item)]
    this.all = all.sort((a, b) => (b.started_at ?? '').localeCompare(a.started_at ?? ''))
  }

  async change(id: string, change: api.ConversationChange, failed = 'Not changed'): Promise<Conversation | null> {
    const changed = await attempt(failed, () => api.changeConversation(id, change))
    if (changed && this.find(id)) this.put({ ...this.find(id)!, ...changed })
    return changed
  }

  /** Deletes them one by one, and says how many are gone. */
  async remove(ids: string[]): Promise<number> {
    let gone = 0
    for (const id of ids) {
      if (!(await succeeds('Not deleted', () => api.deleteConversation(id)))) break
      this.drop(id)
      gone++
    }
    return gone
  }

  async merge(ids: string[]): Promise<Conversation | null> {
    const merged = await attempt('Not merged', () => api.mergeConversations(ids))
    if (!merged) return null
    for (const id of ids) if (id !== merged.conversation_id) this.drop(id)
    this.put(merged)
    return merged
  }
}

export const conversations = new Conversations()
