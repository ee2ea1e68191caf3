/** Calls `load` whenever the element comes near the visible part of the page. */
export function whenSeen(load: () => void) {
  return (node: HTMLElement) => {
    const observer = new IntersectionObserver((entries) => entries.some((entry) => entry.isIntersecting) && load(), { rootMargin: '300px' })
    observer.observe(node)
    return () => observer.disconnect()
  }
}
