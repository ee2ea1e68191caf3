import { send } from './http'

/** Everything of the person as one archive, which the import takes back. */
export const archive = 'api/export'

/** The words that have to be written to delete everything. */
export const deleteWords = 'delete everything'

export const deleteEverything = () => send('DELETE', 'api/data', { confirm: deleteWords })
