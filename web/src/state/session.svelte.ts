import { whenSignedOut } from '../lib/api/http'
import { explain, Problem } from '../lib/api/problem'
import * as api from '../lib/api/session'
import type { Me, Status } from '../lib/api/types'
import { forgetAllUploads } from '../lib/api/uploads'
import { tokenIn } from '../lib/route'

class Session {
  phase = $state<'asking' | 'out' | 'in' | 'away'>('asking')
  me = $state.raw<Me | null>(null)
  status = $state.raw<Status | null>(null)
  error = $state<string | null>(null)
  busy = $state(false)

  constructor() {
    whenSignedOut(() => {
      if (this.phase === 'in') this.phase = 'out'
    })
  }

  /** Takes the token of a sign-in link out of the address at once, so that it stays in no history. */
  async begin(): Promise<void> {
    const token = tokenIn(location.hash)
    if (token) {
      history.replaceState(null, '', location.pathname + location.search)
      await this.signIn(token)
    } else await this.check()
  }

  async check(): Promise<void> {
    try {
      const me = await api.me()
      // Nothing that one person saw may stay for the next.
      if (this.me && this.me.user_id !== me.user_id) location.reload()
      this.me = me
      this.phase = 'in'
      this.error = null
      void this.refreshStatus()
    } catch (error) {
      const out = error instanceof Problem && error.status === 401
      this.phase = out ? 'out' : 'away'
      if (!out) this.error = explain(error)
    }
  }

  async signIn(token: string): Promise<void> {
    this.busy = true
    this.error = null
    try {
      await api.signIn(token.trim())
      await this.check()
    } catch (error) {
      this.phase = 'out'
      this.error = error instanceof Problem && error.status === 401 ? 'This token is not valid, or no longer. Make a new one and try again.' : explain(error)
    } finally {
      this.busy = false
    }
  }

  async signOut(): Promise<void> {
    await api.signOut().catch(() => {})
    await forgetAllUploads().catch(() => {})
    // A fresh page, so that nothing of this person stays in memory.
    location.replace(location.pathname)
  }

  async refreshStatus(): Promise<void> {
    this.status = await api.status().catch(() => this.status)
  }
}

export const session = new Session()
