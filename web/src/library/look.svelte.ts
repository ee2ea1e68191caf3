/** How the pages of a PDF are shown. */
export type Look = 'text' | 'picture' | 'both'

/** What the person chose stays while the page is open, from one file to the next. */
class Chosen {
  chosen = $state<Look>('both')
}

export const look = new Chosen()
