import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { builtPages } from './phone/built-pages.ts'

const FOLDER = path.join(import.meta.dirname, 'phone')

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

const HEADERS = {
  'content-security-policy':
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

type File = { type: string; bytes: Buffer }

/** `GET /phone`: the phones as a page. It is built when somebody asks for it first, and after a change of its sources. */
export function phonePage(server: FastifyInstance): void {
  let files: Promise<ReadonlyMap<string, File>> | undefined
  const send = async (name: string, reply: FastifyReply): Promise<FastifyReply> => {
    files ??= builtPage().then(readAll)
    const all = await files.catch((fault: unknown) => {
      files = undefined // the next request tries again
      return fault instanceof Error ? fault : new Error(String(fault))
    })
    if (all instanceof Error) return plain(reply, 500, `The phone’s page could not be built: ${all.message}`)
    const file = all.get(name)
    if (file === undefined) return plain(reply, 404, 'there is no such file')
    const lasts = name.startsWith('assets/')
    reply.headers(HEADERS).header('cache-control', lasts ? 'public, max-age=31536000, immutable' : 'no-cache')
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

async function readAll(folder: string): Promise<ReadonlyMap<string, File>> {
  const files = new Map<string, File>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const type = TYPES[path.extname(file)]
    if (type) files.set(path.relative(folder, file), { type, bytes: await readFile(file) })
  }
  return files
}
