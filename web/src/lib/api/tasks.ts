import { getJSON, query, send, sendJSON } from './http'
import type { Task } from './records'

const at = (taskID: string) => `api/tasks/${encodeURIComponent(taskID)}`

export interface TaskChange {
  description?: string
  completed?: boolean
  /** null takes the due time away. */
  due_at?: string | null
  revision?: number
}

export const listTasks = (completed: boolean, cursor: string | null, limit = 100) =>
  getJSON<{ tasks: Task[]; next_cursor: string | null }>(`api/tasks${query({ completed: String(completed), cursor, limit })}`)

export const createTask = (description: string, due_at: string | null) =>
  sendJSON<Task>('POST', 'api/tasks', due_at === null ? { description } : { description, due_at })

export const changeTask = (taskID: string, change: TaskChange) => sendJSON<Task>('PATCH', at(taskID), change)

export const deleteTask = (taskID: string) => send('DELETE', at(taskID))
