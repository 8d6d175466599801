import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openDb } from '../db.ts'
import type { Parts } from '../parts.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER, type FoundPerson } from './auth.ts'
import { liveStreams } from './live.ts'
import { isFromOurPages } from './origin.ts'
import { dashboardRouter } from './router.ts'
import { type SignIn, openSignIn } from './sign-in.ts'
import { servePages } from './static-files.ts'
import type { Context } from './trpc.ts'
import { twinProxy } from './twin-proxy.ts'

export const CALLS_PATH = '/dashboard/calls'

/** What the dashboard's own calls run on, beside the parts of the program. */
export type Dashboard = {
  /** Adds its routes; bodies arrive as bytes (http/raw.ts). */
  serve(scope: FastifyInstance): void
  /** Live answers have no end of their own, and a server that closes waits for its answers. */
  endLiveAnswers(): void
  close(): Promise<void>
}

/** Charts and searches wait for each other rather than take connections from the work. */
const FIGURES_POOL_SIZE = 3
const FIGURES_TIMEOUT_MS = 15_000

export function openDashboard(parts: Parts): Dashboard {
  const signIn = openSignIn(parts)
  const figures = openDb({
    url: parts.db.url,
    poolSize: FIGURES_POOL_SIZE,
    plans: 'free',
    queryTimeoutMs: FIGURES_TIMEOUT_MS,
    onIdleError: (error) => parts.log.warn({ err: error }, 'a database connection of the dashboard ended'),
  })
  const findViewer = async (request: FastifyRequest): Promise<FoundPerson> => {
    if (!isFromOurPages(request, parts.config.publicUrl)) return { person: undefined, cookies: [] }
    return signIn.findPerson(toFetch(request).headers)
  }
  const live = liveStreams(parts, { findViewer })
  const phones = twinProxy(parts, { findViewer })
  return {
    serve(scope) {
      serveSignIn(scope, { parts, signIn })
      serveCalls(scope, { parts, signIn, figures })
      live.serve(scope)
      phones.serve(scope)
      servePages(scope)
    },
    endLiveAnswers() {
      live.end()
      phones.end()
    },
    async close() {
      await signIn.close()
      await figures.close()
    },
  }
}

type Serving = { parts: Parts; signIn: SignIn }

function serveSignIn(scope: FastifyInstance, { parts, signIn }: Serving): void {
  scope.route({
    method: ['GET', 'POST'],
    url: `${AUTH_PATH}/*`,
    async handler(request, reply) {
      if (!isFromOurPages(request, parts.config.publicUrl)) return refuseForeign(reply)
      const answer = await signIn.handle(toFetch(request))
      return answer
        ? answerWith(reply, answer)
        : reply.code(404).type('text/plain; charset=utf-8').send('there is no such call')
    },
  })
}

function serveCalls(scope: FastifyInstance, { parts, signIn, figures }: Serving & Pick<Context, 'figures'>): void {
  scope.route({
    method: ['GET', 'POST'],
    url: `${CALLS_PATH}/*`,
    async handler(request, reply) {
      if (!isFromOurPages(request, parts.config.publicUrl)) return refuseForeign(reply)
      const req = toFetch(request)
      const { person, cookies } = await signIn.findPerson(req.headers)
      const response = await fetchRequestHandler({
        endpoint: CALLS_PATH,
        req,
        router: dashboardRouter,
        createContext: () => ({ parts, figures, person, correlationId: request.id }),
      })
      for (const cookie of cookies) reply.header('set-cookie', cookie)
      return answerWith(reply, response)
    },
  })
}

const refuseForeign = (reply: FastifyReply): FastifyReply =>
  reply.code(403).type('text/plain; charset=utf-8').send('only for the pages of this dashboard')

/** The same request for libraries that speak fetch. The caller's address is the connection's, whatever it claims. */
function toFetch(request: FastifyRequest): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  headers.set(CLIENT_ADDRESS_HEADER, request.ip)
  const url = new URL(request.url, `${request.protocol}://${request.host || 'localhost'}`)
  const body = request.body instanceof Buffer && request.body.length > 0 ? new Uint8Array(request.body) : null
  return new Request(url, { method: request.method, headers, body: request.method === 'GET' ? null : body })
}

async function answerWith(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value)
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
  return reply.send(Buffer.from(await response.arrayBuffer()))
}
