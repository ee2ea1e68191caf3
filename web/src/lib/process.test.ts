import { describe, expect, it } from 'vitest'
import { health, progress, stateTitle, stepTitle, type StepView } from './process'

const event = (step: string, state: string, more = {}) => ({ seq: 1, type: 'progress', step, state, ...more })

describe('processing', () => {
  it('keeps the steps in the order in which they are done, whatever comes first', () => {
    const steps = [event('tasks', 'pending'), event('structure', 'running'), event('discard', 'done'), event('structure', 'done')].reduce(progress, [] as StepView[])
    expect(steps.map(({ name, state }) => `${name} ${state}`)).toEqual(['discard done', 'structure done', 'tasks pending'])
  })

  it('puts steps that it does not know behind the others, and takes no state that it does not know', () => {
    const steps = [event('dreams', 'running'), event('facts', 'done'), event('facts', 'melting')].reduce(progress, [] as StepView[])
    expect(steps.map(({ name, state }) => `${name} ${state}`)).toEqual(['facts done', 'dreams running'])
    expect(stepTitle('dreams')).toBe('Dreams')
    expect(progress([], { seq: 1, type: 'queued' })).toEqual([])
  })

  it('says the worst of all, but that it still works first', () => {
    const of = (...states: string[]) => health(states.map((state) => ({ name: 'facts', state }) as StepView))
    expect([of('done', 'running', 'failed'), of('done', 'waiting', 'failed'), of('done', 'waiting', 'skipped'), of('done'), of()]).toEqual(['working', 'failed', 'waiting', 'done', 'done'])
  })

  it('counts where it can', () => {
    expect(stateTitle({ name: 'embed', state: 'running', done: 3, total: 1200 })).toMatch(/^3 of 1.?200$/)
    expect(stateTitle({ name: 'facts', state: 'waiting' })).toBe('Waiting for a language model')
  })
})
