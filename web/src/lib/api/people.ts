import { getJSON, send, sendJSON } from './http'
import type { Folder, Person } from './records'

const person = (personID: string) => `api/people/${encodeURIComponent(personID)}`
const folder = (folderID: string) => `api/folders/${encodeURIComponent(folderID)}`

export interface PersonFields {
  name?: string
  aliases?: string[]
  email?: string
  notes?: string
  revision?: number
}

export const listPeople = () => getJSON<{ people: Person[] }>('api/people')
export const createPerson = (fields: PersonFields) => sendJSON<Person>('POST', 'api/people', fields)
export const changePerson = (personID: string, change: PersonFields) => sendJSON<Person>('PATCH', person(personID), change)
export const deletePerson = (personID: string) => send('DELETE', person(personID))

export interface FolderFields {
  name?: string
  description?: string
  revision?: number
}

export const listFolders = () => getJSON<{ folders: Folder[] }>('api/folders')
export const createFolder = (fields: FolderFields) => sendJSON<Folder>('POST', 'api/folders', fields)
export const changeFolder = (folderID: string, change: FolderFields) => sendJSON<Folder>('PATCH', folder(folderID), change)
export const deleteFolder = (folderID: string) => send('DELETE', folder(folderID))
