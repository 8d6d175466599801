import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE_MS, SECOND_MS, later } from '../clock.ts'
import { type Sql, type Statement, batch, statement } from '../db.ts'
import { isUuid } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { FoundPerson } from './auth.ts'
import { findMembership } from './membership.ts'
import { SESSION_MOST_MS } from './sessions.ts'

export const LIVE_PATH = '/dashboard/live'

/** One per page that somebody looks at; pages out of sight have none. */
const STREAMS_OF_PERSON_MOST = 20
const STREAMS_MOST = 500
/** At most one word in this time on each stream. */
const WORD_EVERY_MS = 400
/** Proxies drop what is silent for a minute. */
const HEARTBEAT_EVERY_MS = 20 * SECOND_MS
/** How long somebody who was removed or signed out still hears that something changed. */
const LOOK_EVERY_MS = MINUTE_MS / 2
/** A reader who takes nothing more is cut off: what waits for them is memory. */
const UNREAD_BYTES_MOST = 16_384

/** Streams of server-sent events that tell pages to ask again. They say that something changed, never what. */
export type LiveStreams = {
  serve(scope: FastifyInstance): void
  /** No stream is left, and none begins any more. */
  end(): void
}

export type Viewer = { userId: string; sessionId: string }
type FindViewer = (request: FastifyRequest) => Promise<FoundPerson>
type Stream = Viewer & { workspaceId: string; response: ServerResponse; end: () => void }

export type LiveOptions = {
  findViewer: FindViewer
  /** For tests: how often it looks whether each viewer may still see. */
  lookEveryMs?: number
}

export function liveStreams(
  { db, live, log }: Pick<Parts, 'db' | 'live' | 'log'>,
  { findViewer, lookEveryMs = LOOK_EVERY_MS }: LiveOptions,
): LiveStreams {
  const open = new Set<Stream>()
  let ended = false
  let timers: NodeJS.Timeout[] = []

  const begin = (): void => {
    if (timers.length > 0) return
    timers = [setInterval(beat, HEARTBEAT_EVERY_MS), setInterval(() => void look(), lookEveryMs)]
    for (const timer of timers) timer.unref()
  }
  const rest = (): void => {
    if (open.size > 0) return
    for (const timer of timers) clearInterval(timer)
    timers = []
  }
  const beat = (): void => {
    for (const stream of open) {
      if (stream.response.writable) write(stream.response, ':\n\n')
      else stream.end()
    }
  }
  /** One question for all of them. While the database is away nothing changes either. */
  const look = async (): Promise<void> => {
    const looked = [...open]
    const may = await stillMay(db, looked).catch((error: unknown) => {
      log.warn({ err: error }, 'whether viewers may still look could not be asked')
      return undefined
    })
    looked.forEach((stream, place) => {
      if (may && !may.has(place)) stream.end()
    })
  }
  const start = ({ userId, sessionId }: Viewer, workspaceId: string, { raw: response }: FastifyReply): void => {
    const words = spaced(() => write(response, 'event: changed\ndata:\n\n'), WORD_EVERY_MS)
    const unfollow = live.follow(workspaceId, words.say)
    const stream: Stream = {
      userId,
      sessionId,
      workspaceId,
      response,
      end: () => {
        open.delete(stream)
        unfollow()
        words.end()
        rest()
        response.end()
      },
    }
    open.add(stream)
    begin()
    response.on('close', stream.end)
    response.on('error', stream.end)
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      connection: 'close', // a server that stops waits for connections that are kept
    })
    write(response, 'event: ready\ndata:\n\n')
  }
  const isFull = ({ userId }: Viewer): boolean =>
    ended ||
    open.size >= STREAMS_MOST ||
    [...open].filter((stream) => stream.userId === userId).length >= STREAMS_OF_PERSON_MOST

  return {
    serve(scope) {
      scope.get<{ Params: { workspaceId: string } }>(`${LIVE_PATH}/:workspaceId`, async (request, reply) => {
        const { workspaceId } = request.params
        const { person: viewer, cookies } = await findViewer(request)
        if (!viewer) return refuse(reply, 401, 'nobody is signed in')
        const membership = isUuid(workspaceId) && (await findMembership(db, { ...viewer, workspaceId }))
        if (!membership) return refuse(reply, 404, 'there is no such workspace')
        if (isFull(viewer)) return refuse(reply, 503, 'too many pages are open; close some')
        if (reply.raw.destroyed) return reply
        reply.hijack()
        if (cookies.length > 0) reply.raw.setHeader('set-cookie', cookies)
        start(viewer, membership.workspaceId, reply)
        return reply
      })
    },
    end() {
      ended = true
      for (const stream of open) stream.end()
    },
  }
}

const refuse = (reply: FastifyReply, status: number, why: string): FastifyReply =>
  reply.code(status).type('text/plain; charset=utf-8').send(why)

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > UNREAD_BYTES_MOST) response.destroy()
  else if (response.writable) response.write(text)
}

/** The first word at once, and those that come in the time after it as one at its end. */
function spaced(speak: () => void, everyMs: number): { say: () => void; end: () => void } {
  let timer: NodeJS.Timeout | undefined
  let again = false
  const rested = (): void => {
    timer = undefined
    if (!again) return
    again = false
    say()
  }
  const say = (): void => {
    again = timer !== undefined
    if (timer !== undefined) return
    timer = setTimeout(rested, everyMs).unref()
    speak()
  }
  return { say, end: () => clearTimeout(timer) }
}

const selectStillMay: Statement<{ n: number }> = statement(
  'find_viewers_that_may_still_look',
  `select v.n
   from jsonb_to_recordset($1) as v (n int, session_id text, user_id text, workspace_id uuid)
   where exists (
       select from auth."session" s
       where s."id" = v.session_id and s."userId" = v.user_id and s."expiresAt" > now() and s."createdAt" > $2)
     and (exists (select from members m where m.workspace_id = v.workspace_id and m.user_id = v.user_id)
       or exists (select from operators o where o.user_id = v.user_id))`,
)

/** The places of those whose session goes on and who still belong to what they look at. */
export async function stillMay(sql: Sql, streams: readonly (Viewer & { workspaceId: string })[]): Promise<Set<number>> {
  const asked = streams.map(({ sessionId, userId, workspaceId }, n) => ({
    n,
    session_id: sessionId,
    user_id: userId,
    workspace_id: workspaceId,
  }))
  const rows = await sql.rows(selectStillMay, [batch(asked), later(new Date(), -SESSION_MOST_MS)])
  return new Set(rows.map(({ n }) => n))
}
