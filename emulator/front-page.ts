import { controlRoutes } from './control.ts'
import type { FastifyInstance } from 'fastify'

/** The Graph side, to be listed beside the control routes. A test compares it with the routes that exist. */
export const GRAPH_ROUTES: readonly string[] = [
  'POST /:id/messages',
  'GET /:id',
  'GET /:id/phone_numbers',
  'POST /:id/register',
  'POST /:id/deregister',
  'GET /:id/message_templates',
  'POST /:id/message_templates',
  'DELETE /:id/message_templates',
  'GET /:id/subscribed_apps',
  'POST /:id/subscribed_apps',
  'DELETE /:id/subscribed_apps',
]

/** `GET /` says what this is and where things are. A browser gets the phone. */
export function frontPage(server: FastifyInstance): void {
  server.get('/', ({ headers }, reply) => {
    if (/\btext\/html\b/.test(headers.accept ?? '')) return reply.redirect('/phone/', 302)
    return contents()
  })
}

function contents() {
  return {
    what: 'A twin of the WhatsApp Cloud API for development and tests. Nothing sent here reaches a real phone.',
    graph: GRAPH_ROUTES.map((route) => route.replace(' /', ' /v25.0/')),
    control: Object.fromEntries(controlRoutes.map(({ method, path, what }) => [`${method} ${path}`, what])),
    phone: 'GET /phone',
    readme: 'emulator/README.md',
  }
}
