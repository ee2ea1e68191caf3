import * as api from '../lib/api/people'
import type { Folder, Person } from '../lib/api/records'
import { attempt, succeeds } from './attempt'
import { Pages } from './pages.svelte'

class People extends Pages<Person> {
  constructor() {
    super(
      async () => ({ items: (await api.listPeople()).people ?? [], next: null }),
      (person) => person.person_id,
    )
  }

  async save(person: Person | null, fields: api.PersonFields): Promise<Person | null> {
    const saved = await attempt('Not saved', () => (person ? api.changePerson(person.person_id, { ...fields, revision: person.revision }) : api.createPerson(fields)))
    if (!saved) return null
    this.put({ ...person, ...saved })
    this.all = [...this.all].sort((a, b) => a.name.localeCompare(b.name))
    return saved
  }

  async remove(id: string): Promise<boolean> {
    const gone = await succeeds('Not deleted', () => api.deletePerson(id))
    if (gone) this.drop(id)
    return gone
  }
}

class Folders extends Pages<Folder> {
  constructor() {
    super(
      async () => ({ items: (await api.listFolders()).folders ?? [], next: null }),
      (folder) => folder.folder_id,
    )
  }

  async save(folder: Folder | null, fields: api.FolderFields): Promise<Folder | null> {
    const saved = await attempt('Not saved', () => (folder ? api.changeFolder(folder.folder_id, { ...fields, revision: folder.revision }) : api.createFolder(fields)))
    if (saved) this.put(saved)
    return saved
  }

  async remove(id: string): Promise<boolean> {
    const gone = await succeeds('Not deleted', () => api.deleteFolder(id))
    if (gone) this.drop(id)
    return gone
  }
}

export const people = new People()
export const folders = new Folders()
