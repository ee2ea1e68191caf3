/** What of the frame around the views is open. */
class Shell {
  drawer = $state(false)
  help = $state(false)
  /** Taking one's data along, or deleting it. */
  data = $state(false)
  narrow = $state(false)

  constructor() {
    const query = matchMedia('(max-width: 820px)')
    this.narrow = query.matches
    query.addEventListener('change', () => {
      this.narrow = query.matches
      this.drawer = false
    })
  }
}

export const shell = new Shell()
