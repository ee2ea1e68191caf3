import * as api from '../lib/api/facts'
import type { Fact } from '../lib/api/records'
import { attempt, succeeds } from './attempt'
import { Pages } from './pages.svelte'

class Facts extends Pages<Fact> {
  /** Also those that were superseded or rejected. */
  everything = $state(false)

  constructor() {
    super(
      async (cursor) => {
        const page = await api.listFacts(this.everything, cursor)
        return { items: page.memories ?? [], next: page.next_cursor }
      },
      (fact) => fact.memory_id,
    )
  }

  async add(content: string): Promise<Fact | null> {
    const fact = await attempt('Not remembered', () => api.createFact(content))
    if (fact) this.put(fact)
    return fact
  }

  async change(fact: Fact, change: api.FactChange): Promise<Fact | null> {
    const changed = await attempt('Not changed', () => api.changeFact(fact.memory_id, { ...change, revision: fact.revision }))
    if (changed) this.put(changed)
    else void this.refresh()
    return changed
  }

  async remove(id: string): Promise<boolean> {
    const gone = await succeeds('Not deleted', () => api.deleteFact(id))
    if (gone) this.drop(id)
    return gone
  }
}

export const facts = new Facts()
