import * as api from '../lib/api/tasks'
import type { Task } from '../lib/api/records'
import { attempt, succeeds } from './attempt'
import { Pages } from './pages.svelte'
import { toasts } from './toast.svelte'

class TaskList extends Pages<Task> {
  constructor(completed: boolean) {
    super(
      async (cursor) => {
        const page = await api.listTasks(completed, cursor)
        return { items: page.tasks ?? [], next: page.next_cursor }
      },
      (task) => task.task_id,
    )
  }
}

class Tasks {
  readonly open = new TaskList(false)
  readonly done = new TaskList(true)

  find(id: string): Task | undefined {
    return this.open.find(id) ?? this.done.find(id)
  }

  async add(description: string, due: string | null): Promise<Task | null> {
    const task = await attempt('Not added', () => api.createTask(description, due))
    if (task) this.open.put(task)
    return task
  }

  async change(task: Task, change: api.TaskChange): Promise<Task | null> {
    const changed = await attempt('Not changed', () => api.changeTask(task.task_id, { ...change, revision: task.revision }))
    if (changed) this.#place(changed)
    else void this.refresh()
    return changed
  }

  async complete(task: Task, completed: boolean): Promise<void> {
    const changed = await this.change(task, { completed })
    if (changed && completed) toasts.show(`Done: ${changed.description}`, { label: 'Undo', run: () => void this.complete(changed, false) })
  }

  async remove(id: string): Promise<boolean> {
    const gone = await succeeds('Not deleted', () => api.deleteTask(id))
    if (gone) {
      this.open.drop(id)
      this.done.drop(id)
    }
    return gone
  }

  async refresh(): Promise<void> {
    await Promise.all([this.open.refresh(), this.done.loaded ? this.done.refresh() : null])
  }

  #place(task: Task): void {
    const [here, there] = task.completed ? [this.done, this.open] : [this.open, this.done]
    there.drop(task.task_id)
    here.put(task)
  }
}

export const tasks = new Tasks()
