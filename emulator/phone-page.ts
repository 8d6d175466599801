import path from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { builtPages } from './phone/built-pages.ts'
import { openPageFiles } from './phone/page-files.ts'

const FOLDER = path.join(import.meta.dirname, 'phone')

const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

/** `GET /phone`: the phones as a page. It is built when somebody asks for it first, and after a change of its sources. */
export function phonePage(server: FastifyInstance): void {
  const find = openPageFiles(builtPage, (file) => file)
  const send = async (name: string, reply: FastifyReply): Promise<FastifyReply> => {
    const file = await find(name).catch((fault: unknown) => (fault instanceof Error ? fault : new Error(String(fault))))
    if (file instanceof Error) return plain(reply, 500, `The phone’s page could not be built: ${file.message}`)
    if (file === undefined) return plain(reply, 404, 'there is no such file')
    reply.headers(HEADERS).header('cache-control', file.lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
    return reply.type(file.type).send(file.bytes)
  }
  server.get('/phone', (_request, reply) => reply.redirect('/phone/', 302))
  server.get<{ Params: { '*': string } }>('/phone/*', (request, reply) =>
    send(request.params['*'] || 'index.html', reply),
  )
}

const plain = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(text)

const builtPage = (): Promise<string> =>
  builtPages({
    from: path.join(FOLDER, 'page'),
    root: FOLDER,
    sources: ['**/*.{ts,tsx,css,html,svg}'],
    keptIn: path.join(FOLDER, 'dist'),
  })
