import { deleteChat, deleteChatOnLeave, listChats, renameChat } from '../lib/api/chats'
import { explain } from '../lib/api/problem'
import type { Chat } from '../lib/api/types'
import { toasts } from './toast.svelte'

const undoFor = 6_000

class Chats {
  all = $state.raw<Chat[]>([])
  cursor = $state<string | null>(null)
  loading = $state(false)
  loaded = $state(false)
  error = $state<string | null>(null)
  filter = $state('')
  /** Deleted, but it can still be undone. */
  #leaving = new Map<string, ReturnType<typeof setTimeout>>()

  shown = $derived.by(() => {
    const words = this.filter.toLowerCase().split(/\s+/).filter(Boolean)
    return this.all.filter((chat) => words.every((word) => chat.title.toLowerCase().includes(word)))
  })

  constructor() {
    addEventListener('pagehide', () => {
      for (const [id, timer] of this.#leaving) {
        clearTimeout(timer)
        deleteChatOnLeave(id)
      }
      this.#leaving.clear()
    })
  }

  async more(): Promise<void> {
    if (this.loading || (this.loaded && this.cursor === null)) return
    this.loading = true
    this.error = null
    try {
      const page = await listChats(this.cursor)
      const known = new Set(this.all.map((chat) => chat.chat_id))
      const fresh = page.chats.filter((chat) => !known.has(chat.chat_id) && !this.#leaving.has(chat.chat_id))
      this.all = [...this.all, ...fresh]
      this.cursor = page.next_cursor
      this.loaded = true
    } catch (error) {
      this.error = explain(error)
    } finally {
      this.loading = false
    }
  }

  /** True while some chat is being answered. */
  get running(): boolean {
    return this.all.some((chat) => chat.running_turn_id)
  }

  /** Takes in what changed elsewhere: answers that ended, titles that were found, chats of another window. */
  async refresh(): Promise<void> {
    const page = await listChats(null).catch(() => null)
    if (!page) return
    const fresh = page.chats.filter((chat) => !this.#leaving.has(chat.chat_id))
    const ids = new Set(fresh.map((chat) => chat.chat_id))
    this.all = [...fresh, ...this.all.filter((chat) => !ids.has(chat.chat_id)).map((chat) => (chat.running_turn_id ? { ...chat, running_turn_id: null } : chat))]
  }

  find(id: string | null): Chat | undefined {
    return this.all.find((chat) => chat.chat_id === id)
  }

  /** A turn began in this chat, which may be new. */
  started(id: string, title: string, turnId: string): void {
    const now = new Date().toISOString()
    const known = this.find(id) ?? { chat_id: id, title, created_at: now, last_activity: now }
    this.all = [{ ...known, last_activity: now, running_turn_id: turnId }, ...this.all.filter((chat) => chat.chat_id !== id)]
  }

  ended(id: string, turnId: string): void {
    this.#change(id, (chat) => (chat.running_turn_id === turnId ? { ...chat, running_turn_id: null } : chat))
  }

  titled(id: string, title: string): void {
    this.#change(id, (chat) => ({ ...chat, title }))
  }

  async rename(id: string, title: string): Promise<void> {
    const before = this.find(id)?.title
    if (before === undefined || title.trim() === '' || title.trim() === before) return
    this.titled(id, title.trim())
    try {
      await renameChat(id, title.trim())
    } catch (error) {
      this.titled(id, before)
      toasts.show(`Not renamed. ${explain(error)}`)
    }
  }

  remove(id: string): void {
    const index = this.all.findIndex((chat) => chat.chat_id === id)
    const chat = this.all[index]
    if (!chat) return
    this.all = this.all.filter((other) => other.chat_id !== id)
    const restore = () => {
      clearTimeout(this.#leaving.get(id))
      this.#leaving.delete(id)
      this.all = [...this.all.slice(0, index), chat, ...this.all.slice(index)]
    }
    const timer = setTimeout(() => {
      deleteChat(id)
        .catch((error: unknown) => {
          restore()
          toasts.show(`Not deleted. ${explain(error)}`)
        })
        .finally(() => this.#leaving.delete(id))
    }, undoFor)
    this.#leaving.set(id, timer)
    toasts.show(`Deleted “${chat.title || 'Untitled chat'}”`, { label: 'Undo', run: restore }, undoFor)
  }

  #change(id: string, change: (chat: Chat) => Chat): void {
    this.all = this.all.map((chat) => (chat.chat_id === id ? change(chat) : chat))
  }
}

export const chats = new Chats()
