import type { Task } from '../lib/api/records'
import { moment } from '../lib/format/date'
import { addDays, dayOf } from '../lib/format/day'

export const dueNames = ['Overdue', 'Today', 'This week', 'Later', 'No date'] as const
export type DueName = (typeof dueNames)[number]

/** Where in the list a task stands. What was due today and is past is overdue; this week is the seven days from today on. */
export function dueName(task: Task, now = new Date()): DueName {
  const due = moment(task.due_at)
  if (!due) return 'No date'
  if (due < now) return 'Overdue'
  const today = dayOf(now)
  const day = dayOf(due)
  if (day === today) return 'Today'
  return day < addDays(today, 7) ? 'This week' : 'Later'
}

/** The tasks by when they are due, the soonest first; those without a date the newest first. Empty groups are left out. */
export function byDue(tasks: Task[], now = new Date()): { name: DueName; tasks: Task[] }[] {
  const when = (task: Task) => moment(task.due_at)?.getTime() ?? 0
  const sorted = [...tasks].sort((a, b) => when(a) - when(b) || b.created_at.localeCompare(a.created_at))
  return dueNames.map((name) => ({ name, tasks: sorted.filter((task) => dueName(task, now) === name) })).filter((group) => group.tasks.length > 0)
}

/** The value of a datetime-local field, and back. */
export function toField(time: string | undefined): string {
  const date = moment(time)
  const two = (value: number) => String(value).padStart(2, '0')
  return date ? `${dayOf(date)}T${two(date.getHours())}:${two(date.getMinutes())}` : ''
}
export function fromField(value: string): string | null {
  const date = value === '' ? null : new Date(value)
  return date && !Number.isNaN(date.getTime()) ? date.toISOString() : null
}
