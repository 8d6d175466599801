import type { FastifyInstance } from 'fastify'

/** Reads the routes that are added afterwards. The result returns the methods of a path; none for an unknown path. */
export function watchPathMethods(app: FastifyInstance): (path: string) => string[] {
  const routes: { pattern: RegExp; methods: readonly string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    routes.push({ pattern: patternOf(url), methods: [method].flat() })
  })
  return (path) => {
    const methods = routes.flatMap((route) => (route.pattern.test(path) ? route.methods : []))
    return [...new Set(methods)].toSorted()
  }
}

/** The pattern of a route's path, with `:name` for a segment and `*` for any rest. */
function patternOf(url: string): RegExp {
  const parts = url.split(/(:\w+|\*)/).map((part) => {
    if (part === '*') return '.*'
    return part.startsWith(':') ? '[^/]+' : RegExp.escape(part)
  })
  return new RegExp(`^${parts.join('')}$`)
}
