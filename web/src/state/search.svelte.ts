/** What was searched for, kept while a result is being read, so that going back finds the results again. */
export const remembered = $state({ query: '' })
