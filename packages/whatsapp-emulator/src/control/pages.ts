import path from 'node:path'
import type { FastifyInstance } from 'fastify'
import { GRAPH_ROUTES } from '../graph/routes.ts'
import { type Pages, builtPages } from '../pages/built-pages.ts'
import { servePages } from '../pages/serve-pages.ts'
import { controlRoutes } from './routes.ts'

const PACKAGE = path.resolve(import.meta.dirname, '../..')

const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

/** `GET /` describes the emulator and its URLs. A browser gets the phone. */
export function frontPage(server: FastifyInstance): void {
  const contents = {
    what: 'An emulator of the WhatsApp Cloud API for development and tests. Nothing sent here reaches a real phone.',
    graph: GRAPH_ROUTES.map((route) => route.replace(' /', ' /v25.0/')),
    control: Object.fromEntries(controlRoutes.map(({ method, path, what }) => [`${method} ${path}`, what])),
    phone: 'GET /phone',
    readme: 'packages/whatsapp-emulator/README.md',
  }
  server.get('/', ({ headers }, reply) =>
    /\btext\/html\b/.test(headers.accept ?? '') ? reply.redirect('/phone/', 302) : contents,
  )
}

/** `GET /phone`: the phones as a page. */
export function phonePage(server: FastifyInstance): void {
  let built: Promise<string> | undefined
  servePages(server, {
    at: '/phone',
    headers: HEADERS,
    folder: () =>
      (built ??= builtPage().catch((error: unknown) => {
        built = undefined
        throw error
      })),
    sendFault: (error, reply) =>
      reply
        .code(500)
        .type('text/plain; charset=utf-8')
        .send(`The phone’s page could not be built: ${error instanceof Error ? error.message : String(error)}`),
    fileOf: (name) => name || 'index.html',
  })
}

export const emulatorPages: Pages = {
  from: path.join(PACKAGE, 'phone/page'),
  root: PACKAGE,
  sources: ['{phone,src/wire}/**/*.{ts,tsx,css,html,svg}', 'src/messages/presets.ts', '../../locales/**/*.{ts,json}'],
  keptIn: path.join(PACKAGE, 'built'),
}

/** The published package brings the page with it; the sources build it. */
const builtPage = (): Promise<string> =>
  import.meta.filename.endsWith('.js') ? Promise.resolve(path.join(PACKAGE, 'dist/page')) : builtPages(emulatorPages)
