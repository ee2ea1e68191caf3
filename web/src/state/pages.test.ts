import { describe, expect, it } from 'vitest'
import { Pages } from './pages.svelte'

interface Thing {
  id: string
  name?: string
}
const things = (...ids: string[]): Thing[] => ids.map((id) => ({ id }))
const ids = (pages: Pages<Thing>) => pages.all.map((thing) => thing.id).join('')

describe('pages', () => {
  it('come one after another, each record once, until there are no more', async () => {
    const answers: Record<string, { items: Thing[]; next: string | null }> = { '': { items: things('a', 'b'), next: '2' }, '2': { items: things('b', 'c'), next: null } }
    let asked = 0
    const pages = new Pages<Thing>(async (cursor) => (asked++, answers[cursor ?? '']!), ({ id }) => id)
    await pages.more()
    await pages.more()
    await pages.more()
    expect([ids(pages), asked, pages.loaded]).toEqual(['abc', 2, true])
  })

  it('do not take in what was asked for before a fresh start', async () => {
    const waiting: ((items: Thing[]) => void)[] = []
    const pages = new Pages<Thing>(() => new Promise((resolve) => waiting.push((items) => resolve({ items, next: null }))), ({ id }) => id)
    const old = pages.more()
    const fresh = pages.reset()
    waiting[1]!(things('new'))
    await fresh
    waiting[0]!(things('old'))
    await old
    expect([ids(pages), pages.loading]).toEqual(['new', false])
  })

  it('say what went wrong, and can be asked again', async () => {
    let fails = true
    const pages = new Pages<Thing>(async () => {
      if (fails) throw new Error('x')
      return { items: things('a'), next: null }
    }, ({ id }) => id)
    await pages.more()
    expect([pages.error !== null, pages.loaded]).toEqual([true, false])
    fails = false
    await pages.more()
    expect([pages.error, ids(pages)]).toEqual([null, 'a'])
  })

  it('put a record in the place of its older self, and new ones first', async () => {
    const pages = new Pages<Thing>(async () => ({ items: things('a', 'b'), next: null }), ({ id }) => id)
    await pages.more()
    pages.put({ id: 'b', name: 'B' })
    pages.put({ id: 'c' })
    pages.drop('a')
    expect(pages.all).toEqual([{ id: 'c' }, { id: 'b', name: 'B' }])
  })
})
