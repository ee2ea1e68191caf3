import { describe, expect, it } from 'vitest'
import type { Task } from '../lib/api/records'
import { byDue, fromField, toField } from './due'

// A Wednesday.
const now = new Date(2026, 2, 11, 15)
const at = (day: number, hour = 12) => new Date(2026, 2, day, hour).toISOString()
const task = (id: string, due_at?: string, created_at = at(1)): Task => ({ task_id: id, description: id, completed: false, created_at, revision: 1, ...(due_at && { due_at }) })

describe('tasks', () => {
  it('stand by when they are due', () => {
    const tasks = [task('tuesday', at(17)), task('none'), task('evening', at(11, 18)), task('morning', at(11, 9)), task('wednesday', at(18)), task('old', at(2)), task('zero', '0001-01-01T00:00:00Z', at(5))]
    expect(byDue(tasks, now).map((group) => `${group.name}: ${group.tasks.map((t) => t.task_id).join()}`)).toEqual([
      'Overdue: old,morning', 'Today: evening', 'This week: tuesday', 'Later: wednesday', 'No date: zero,none',
    ])
  })

  it('goes there and back between times and fields', () => {
    expect(fromField(toField(at(11, 9)))).toBe(at(11, 9))
    expect([toField(undefined), toField('0001-01-01T00:00:00Z'), fromField(''), fromField('soon')]).toEqual(['', '', null, null])
  })
})
