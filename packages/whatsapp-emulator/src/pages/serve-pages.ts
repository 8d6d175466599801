import path from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'

export type ServedPages = {
  at: string
  headers: Readonly<Record<string, string>>
  folder: () => Promise<string>
  sendFault: (error: unknown, reply: FastifyReply) => FastifyReply
  fileOf: (name: string) => string
}

/** Serves built pages. The name of a file in `assets/` changes with its content. */
export function servePages(server: FastifyInstance, { at, headers, folder, sendFault, fileOf }: ServedPages): void {
  void server.register(fastifyStatic, {
    serve: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders(reply, file) {
      const lasts = path.basename(path.dirname(file)) === 'assets'
      reply.headers(headers).header('cache-control', lasts ? 'public, max-age=31536000, immutable' : 'no-cache')
    },
  })
  server.get(at, (_request, reply) => reply.redirect(`${at}/`, 302))
  server.get<{ Params: { '*': string } }>(`${at}/*`, (request, reply) =>
    folder().then(
      (root) => reply.sendFile(fileOf(request.params['*']), root),
      (error: unknown) => sendFault(error, reply),
    ),
  )
}
