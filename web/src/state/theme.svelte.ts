export type Theme = 'system' | 'light' | 'dark'

const key = 'confidant.theme'

function stored(): Theme {
  try {
    const theme = localStorage.getItem(key)
    return theme === 'light' || theme === 'dark' ? theme : 'system'
  } catch {
    return 'system'
  }
}

class ThemeChoice {
  current = $state<Theme>(stored())

  set(theme: Theme): void {
    this.current = theme
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
    try {
      if (theme === 'system') localStorage.removeItem(key)
      else localStorage.setItem(key, theme)
    } catch {
      // Kept for this visit only.
    }
  }

  next(): void {
    this.set(this.current === 'system' ? 'light' : this.current === 'light' ? 'dark' : 'system')
  }
}

export const theme = new ThemeChoice()
