import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type PageFile, openPageFiles } from '../../emulator/phone/page-files.ts'
import { builtDashboard } from './build.ts'

/** Mantine puts style elements and attributes into the page; scripts come from here alone. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

/** The pages of the dashboard: whatever is no file is the one page, which knows its own paths. */
export function servePages(scope: FastifyInstance): void {
  const files = openPageFiles(builtDashboard, (file) => ({ ...file, gzip: shrunk(file) }))
  const find = async (name: string) =>
    (await files(name)) ?? (name.startsWith('assets/') ? undefined : await files('index.html'))
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

const shrunk = ({ type, bytes }: PageFile): Buffer | undefined => (type === 'font/woff2' ? undefined : gzipSync(bytes))
