import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Sql, openDb } from '../db.ts'
import type { Parts } from '../parts.ts'
import { AUTH_PATH, CLIENT_ADDRESS_HEADER, type FoundPerson } from './auth.ts'
import { liveStreams } from './live.ts'
import { isFromOurPages } from './origin.ts'
import { pageLanguage } from './page-language.ts'
import { dashboardRouter } from './router.ts'
import { type SignIn, openSignIn } from './sign-in.ts'
import { type Pages, openPages, servePages } from './static-files.ts'
import { turnsOfPeople } from './turns.ts'
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
/** Fewer than there are connections: one person's slow charts leave some to the others. */
const FIGURES_OF_PERSON = { atOnce: 2, waitingMost: 200 }
/** Of the connections that the work shares as well. A page asks for a dozen things, and somebody may have many open. */
const CALLS_OF_PERSON = { atOnce: 6, waitingMost: 200 }
/** As many as our pages put into one request (dashboard/api.ts). */
const BATCH_MOST = 10
/** A page's part of a list of blocked recipients fits. Nothing else is answered while more is read. */
const CALL_BYTES_MOST = 1024 * 1024
/** Passwords and codes. */
const SIGN_IN_BYTES_MOST = 16 * 1024

export function openDashboard(parts: Parts, pages: Pages = openPages(parts)): Dashboard {
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
    return signIn.findPerson(headersOf(request))
  }
  const live = liveStreams(parts, { findViewer })
  const phones = twinProxy(parts, { findViewer })
  return {
    serve(scope) {
      serveSignIn(scope, { parts, signIn })
      serveCalls(scope, { parts, signIn, figures })
      live.serve(scope)
      phones.serve(scope)
      servePages(scope, pages)
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
    bodyLimit: SIGN_IN_BYTES_MOST,
    async handler(request, reply) {
      if (!isFromOurPages(request, parts.config.publicUrl)) return refuseForeign(reply)
      const answer = await signIn.handle(toFetch(request, parts.config.publicUrl))
      return answer
        ? answerWith(reply, answer)
        : reply.code(404).type('text/plain; charset=utf-8').send('there is no such call')
    },
  })
}

function serveCalls(scope: FastifyInstance, { parts, signIn, figures }: Serving & { figures: Sql }): void {
  const calls = turnsOfPeople(CALLS_OF_PERSON)
  const questions = turnsOfPeople(FIGURES_OF_PERSON)
  const figuresOf = (userId: string): Sql => ({
    rows: (...question) => questions(userId, () => figures.rows(...question)),
    row: (...question) => questions(userId, () => figures.row(...question)),
  })
  scope.route({
    method: ['GET', 'POST'],
    url: `${CALLS_PATH}/*`,
    bodyLimit: CALL_BYTES_MOST,
    async handler(request, reply) {
      if (!isFromOurPages(request, parts.config.publicUrl)) return refuseForeign(reply)
      const req = toFetch(request, parts.config.publicUrl)
      const { person, cookies } = await signIn.findPerson(req.headers)
      const response = await fetchRequestHandler({
        endpoint: CALLS_PATH,
        req,
        router: dashboardRouter,
        maxBatchSize: BATCH_MOST,
        createContext: () => ({
          parts,
          figures: person ? figuresOf(person.userId) : figures,
          calls,
          person,
          language: pageLanguage(request),
          correlationId: request.id,
        }),
      })
      for (const cookie of cookies) reply.header('set-cookie', cookie)
      return answerWith(reply, response)
    },
  })
}

const refuseForeign = (reply: FastifyReply): FastifyReply =>
  reply.code(403).type('text/plain; charset=utf-8').send('only for the pages of this dashboard')

/** The same request for libraries that speak fetch. */
function toFetch(request: FastifyRequest, publicUrl: string): Request {
  const { method } = request
  const body = request.body instanceof Buffer && request.body.length > 0 ? new Uint8Array(request.body) : null
  const headers = headersOf(request)
  return new Request(addressOf(request, publicUrl), { method, headers, body: method === 'GET' ? null : body })
}

/** The caller's address is the connection's, whatever it claims. */
function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  headers.set(CLIENT_ADDRESS_HEADER, request.ip)
  return headers
}

/** Its path under our own name: the name that it was asked by, in a header or before the path, may be none at all. */
const addressOf = ({ url }: FastifyRequest, publicUrl: string): string =>
  `${publicUrl}${url.replace(/^https?:\/\/[^/]*/, '')}`

async function answerWith(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  reply.code(response.status)
  for (const [name, value] of response.headers) if (name !== 'set-cookie') reply.header(name, value)
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
  return reply.send(Buffer.from(await response.arrayBuffer()))
}
