// Runs before the first paint, so that a chosen theme does not flash. See src/state/theme.svelte.ts.
try {
  const theme = localStorage.getItem('confidant.theme')
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // Storage may be forbidden; the system's theme then holds.
}
