import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type PageFile, openPageFiles } from '../../emulator/phone/page-files.ts'
import { SECOND_MS } from '../clock.ts'
import { PAGE_HEADERS as TEXT_PAGE_HEADERS } from '../http/html.ts'
import type { Log } from '../log.ts'
import { builtDashboard } from './build.ts'
import { NOT_BUILT, unbuiltPage } from './unbuilt-page.ts'

/** Mantine puts style elements and attributes into the page; scripts come from here alone. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
} as const

/** A build takes seconds of a processor, and anybody may ask for the pages. */
const BUILD_AGAIN_AFTER_MS = 10 * SECOND_MS

export type PagesOptions = {
  log: Log
  /** Which pages: those of this program, but in tests. */
  build?: () => Promise<string>
}

/** Finds files of the pages by their names. */
export type Pages = (name: string) => Promise<(PageFile & { gzip: Buffer | undefined }) | undefined>

export const openPages = ({ log, build = builtDashboard }: PagesOptions): Pages =>
  openPageFiles(patiently(build, log), (file) => ({ ...file, gzip: shrunk(file) }))

/** The pages of the dashboard: whatever is no file is the one page, which knows its own paths. */
export function servePages(scope: FastifyInstance, files: Pages): void {
  const find = async (name: string) =>
    (await files(name)) ?? (name.startsWith('assets/') ? undefined : await files('index.html'))
  const send = async (name: string, accepted: string, reply: FastifyReply): Promise<FastifyReply> => {
    const file = await find(name).catch((error: unknown) => new Unbuilt(error))
    if (file instanceof Unbuilt) return reply.code(503).headers(TEXT_PAGE_HEADERS).send(unbuiltPage(file.why))
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

class Unbuilt {
  readonly why: unknown

  constructor(why: unknown) {
    this.why = why
  }
}

/** What has failed is not tried again at once. */
function patiently(build: () => Promise<string>, log: Log): () => Promise<string> {
  let failed: { error: unknown; at: number } | undefined
  return async () => {
    if (failed && performance.now() - failed.at < BUILD_AGAIN_AFTER_MS) throw failed.error
    try {
      return await build()
    } catch (error) {
      failed = { error, at: performance.now() }
      log.error({ err: error }, NOT_BUILT)
      throw error
    }
  }
}

const shrunk = ({ type, bytes }: PageFile): Buffer | undefined => (type === 'font/woff2' ? undefined : gzipSync(bytes))
