import { SvelteMap } from 'svelte/reactivity'
import { listMessages } from '../lib/api/chats'
import { zone } from '../lib/format/day'
import { explain, Problem } from '../lib/api/problem'
import { approve, cancelTurn, startTurn } from '../lib/api/turns'
import type { Message } from '../lib/api/types'
import { emptyTurn, over, textOf, type TurnView } from '../lib/turn/view'
import { aboutOf, begun, type About } from './about.svelte'
import { chats } from './chats.svelte'
import { Follower } from './follower.svelte'
import { freshId } from './random'
import { toasts } from './toast.svelte'

interface Unsent {
  text: string
  replaces: string | null
  fileIds: string[]
  key: string
  why: string
}

/** One open chat: its messages, oldest first, and the turns of it that are being followed. */
export class Thread {
  chatId = $state<string | null>(null)
  messages = $state.raw<Message[]>([])
  cursor = $state<string | null>(null)
  loading = $state(false)
  error = $state<string | null>(null)
  retrying = $state(false)
  unsent = $state.raw<Unsent | null>(null)
  sending = $state(false)
  stopping = $state(false)
  /** The files that the next question is about. */
  readonly about: About
  readonly views = new SvelteMap<string, TurnView>()
  readonly #followers = new Map<string, Follower>()
  readonly #gone = new AbortController()

  running = $derived(this.sending || this.messages.some((message) => message.role === 'assistant' && !message.ready))

  constructor(chatId: string | null) {
    this.chatId = chatId
    this.about = aboutOf(chatId)
    if (chatId) void this.load()
  }

  dispose(): void {
    this.#gone.abort()
    for (const follower of this.#followers.values()) follower.stop()
  }

  async load(): Promise<void> {
    const first = this.messages.length === 0
    if (this.chatId === null || this.loading || (!first && this.cursor === null)) return
    this.loading = true
    this.error = null
    try {
      const page = await listMessages(this.chatId, this.cursor, 20, this.#gone.signal)
      const known = new Set(this.messages.map((message) => message.message_id))
      const older = page.messages.filter((message) => !known.has(message.message_id)).reverse()
      this.messages = [...older, ...this.messages]
      this.cursor = page.next_cursor
      for (const message of older) if (message.role === 'assistant' && !message.ready) this.#follow(message.turn_id)
    } catch (error) {
      if (!this.#gone.signal.aborted) this.error = explain(error)
    } finally {
      this.loading = false
    }
  }

  /** Asks. With `replaces`, that user message and all after it give way. Resolves to the chat's id, or null when it failed. */
  async send(text: string, replaces: string | null = null, key = freshId(), fileIds = this.#filesOf(replaces)): Promise<string | null> {
    const before = this.messages
    const cut = replaces ? before.findIndex((message) => message.message_id === replaces) : -1
    const kept = cut >= 0 ? before.slice(0, cut) : before
    const local = freshId()
    this.unsent = null
    this.sending = true
    this.messages = [...kept, { ...draft(`user-${local}`, 'user', text), file_ids: fileIds }, draft(`answer-${local}`, 'assistant', '')]
    try {
      const turn = await startTurn(
        {
          message: text,
          ...(this.chatId && { chat_id: this.chatId }),
          ...(replaces && { replaces }),
          ...(fileIds.length > 0 && { file_ids: fileIds }),
          zone: zone(),
        },
        key,
      )
      const ids = { chat_id: turn.chat_id, turn_id: turn.turn_id }
      this.messages = this.messages.map((message) => {
        if (message.message_id === `user-${local}`) return { ...message, ...ids, message_id: turn.message_id }
        if (message.message_id === `answer-${local}`) return { ...message, ...ids, message_id: turn.answer_id }
        return message
      })
      if (this.chatId === null) begun(turn.chat_id, this.about)
      this.chatId = turn.chat_id
      chats.started(turn.chat_id, text.split('\n')[0]!.slice(0, 120), turn.turn_id)
      this.#follow(turn.turn_id)
      return turn.chat_id
    } catch (error) {
      this.messages = before
      this.unsent = { text, replaces, fileIds, key, why: explain(error) }
      return null
    } finally {
      this.sending = false
    }
  }

  /** The same request with the same key: if it did arrive, it does not happen twice. */
  resend(): Promise<string | null> {
    const { unsent } = this
    return unsent ? this.send(unsent.text, unsent.replaces, unsent.key, unsent.fileIds) : Promise.resolve(null)
  }

  /** Asks the question before this answer once more. */
  regenerate(answerId: string): Promise<string | null> {
    const at = this.messages.findIndex((message) => message.message_id === answerId)
    const question = this.messages.slice(0, at).findLast((message) => message.role === 'user')
    return question ? this.send(question.content, question.message_id) : Promise.resolve(null)
  }

  async stop(): Promise<void> {
    const turn = this.messages.find((message) => message.role === 'assistant' && !message.ready)?.turn_id
    if (!turn || this.stopping) return
    this.stopping = true
    try {
      await cancelTurn(turn)
    } catch (error) {
      // It ended in the meantime: nothing left to stop.
      if (!(error instanceof Problem && (error.status === 404 || error.status === 409))) toasts.show(`Not stopped. ${explain(error)}`)
    } finally {
      this.stopping = false
    }
  }

  async decide(turnId: string, callId: string, yes: boolean): Promise<void> {
    try {
      await approve(turnId, callId, yes)
    } catch (error) {
      toasts.show(explain(error))
    }
  }

  /** Reads the journal of an answer that is long done. */
  async loadTrace(turnId: string): Promise<void> {
    if (this.views.has(turnId) || turnId === '') return
    const follower = new Follower(turnId)
    this.#followers.set(turnId, follower)
    try {
      let view = emptyTurn(turnId)
      await follower.run(view, (next) => (view = next))
      if (!this.#gone.signal.aborted) this.views.set(turnId, view)
    } catch (error) {
      toasts.show(error instanceof Problem && error.status === 404 ? 'The steps of this answer are no longer kept.' : explain(error))
    }
  }

  /** A question that is asked once more, or put differently, is about what it was about. */
  #filesOf(replaces: string | null): string[] {
    const question = replaces ? this.messages.find((message) => message.message_id === replaces) : undefined
    return question?.file_ids?.length ? question.file_ids : this.about.ids
  }

  #follow(turnId: string): void {
    if (turnId === '' || this.#followers.has(turnId) || this.#gone.signal.aborted) return
    const follower = new Follower(turnId, (retrying) => (this.retrying = retrying))
    this.#followers.set(turnId, follower)
    this.views.set(turnId, emptyTurn(turnId))
    follower
      .run(emptyTurn(turnId), (view) => this.#show(view))
      .catch((error: unknown) => this.#settle(turnId, { ready: true, state: 'failed', error: { code: 'lost', message: explain(error) } }))
      .finally(() => {
        // Whoever looks at another chat meanwhile has not ended anything.
        if (this.chatId && !this.#gone.signal.aborted) chats.ended(this.chatId, turnId)
      })
  }

  #show(view: TurnView): void {
    this.views.set(view.turnId, view)
    if (view.title && this.chatId) chats.titled(this.chatId, view.title)
    if (!over(view)) return
    if (this.chatId) chats.ended(this.chatId, view.turnId)
    this.#settle(view.turnId, {
      ready: true,
      content: textOf(view),
      citations: view.citations,
      state: view.state === 'finished' ? 'ok' : (view.state as 'failed' | 'cancelled'),
      error: view.error,
    })
  }

  #settle(turnId: string, change: Partial<Message>): void {
    this.messages = this.messages.map((message) => (message.turn_id === turnId && message.role === 'assistant' ? { ...message, ...change } : message))
  }
}

function draft(id: string, role: 'user' | 'assistant', content: string): Message {
  return {
    message_id: id,
    chat_id: '',
    turn_id: '',
    role,
    content,
    ready: role === 'user',
    state: 'ok',
    created_at: new Date().toISOString(),
    citations: [],
  }
}
