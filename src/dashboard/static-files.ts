import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { builtDashboard } from './build.ts'

type File = { type: string; bytes: Buffer; gzip: Buffer | undefined; lasting: boolean }

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** Mantine puts style elements and attributes into the page; scripts come from here alone. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

/** The pages of the dashboard: whatever is no file is the one page, which knows its own paths. */
export function servePages(scope: FastifyInstance): void {
  let files: Promise<ReadonlyMap<string, File>> | undefined
  const find = async (name: string): Promise<File | undefined> => {
    files ??= builtDashboard().then(readAll)
    const all = await files.catch((error: unknown) => {
      files = undefined // the next request tries again
      throw error
    })
    return all.get(name) ?? (name.startsWith('assets/') ? undefined : all.get('index.html'))
  }
  const send = async (name: string, accepted: string, reply: FastifyReply): Promise<FastifyReply> => {
    const file = await find(name)
    if (!file) return reply.code(404).type('text/plain; charset=utf-8').send('no such file')
    reply.headers(PAGE_HEADERS).type(file.type).header('vary', 'accept-encoding')
    reply.header('cache-control', file.lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
    if (!file.gzip || !/\bgzip\b/.test(accepted)) return reply.send(file.bytes)
    return reply.header('content-encoding', 'gzip').send(file.gzip)
  }
  scope.get('/dashboard', (_request, reply) => reply.redirect('/dashboard/', 302))
  scope.get<{ Params: { '*': string } }>('/dashboard/*', (request, reply) =>
    send(request.params['*'], request.headers['accept-encoding'] ?? '', reply),
  )
}

/** A megabyte or two: read once, and kept. */
async function readAll(folder: string): Promise<ReadonlyMap<string, File>> {
  const files = new Map<string, File>()
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(folder, file)
    const bytes = await readFile(file)
    const type = TYPES[path.extname(name)]
    if (type) files.set(name, { type, bytes, gzip: shrunk(type, bytes), lasting: name.startsWith('assets/') })
  }
  return files
}

const shrunk = (type: string, bytes: Buffer): Buffer | undefined =>
  type === 'font/woff2' ? undefined : gzipSync(bytes)
