import { formatRoute, parseRoute, type Route } from '../lib/route'

class Router {
  current = $state.raw<Route>(parseRoute(location.hash))

  constructor() {
    addEventListener('hashchange', () => (this.current = parseRoute(location.hash)))
  }

  go(route: Route, replace = false): void {
    const hash = formatRoute(route)
    if (replace) {
      history.replaceState(null, '', hash)
      this.current = route
    } else if (location.hash !== hash) {
      location.hash = hash
      this.current = route
    }
  }
}

export const router = new Router()
export const go = (route: Route, replace = false) => router.go(route, replace)
