import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE_MS, later } from '../clock.ts'
import { type Sql, type Statement, batch, statement } from '../db.ts'
import { isUuid } from '../ids.ts'
import type { Parts } from '../parts.ts'
import { type Sentence, sentences } from '../sentences.ts'
import type { FoundPerson } from './auth.ts'
import { type Membership, findMembership } from './membership.ts'
import { SESSION_MOST_MS } from './sessions.ts'

/** How long somebody who was removed or signed out still sees what they look at. */
const LOOK_EVERY_MS = MINUTE_MS / 2

export type Viewer = { userId: string; sessionId: string }
export type FindViewer = (request: FastifyRequest) => Promise<FoundPerson>

export type ViewersOptions = {
  /** Streams of this process. */
  most: number
  ofPersonMost: number
  /** A reader who takes nothing more is cut off: what waits for them is memory. */
  unreadBytesMost: number
  /** Proxies drop what is silent for a minute. Left out: what is passed on has heartbeats of its own. */
  heartbeatEveryMs?: number
  /** For tests: how often it looks whether each viewer may still see. */
  lookEveryMs?: number | undefined
}

type Viewing = Viewer & { workspaceId: string }

export type Stream = {
  /** False when the reader has gone or was cut off. */
  write: (chunk: string | Uint8Array) => boolean
  end: () => void
}

/** Streams of server-sent events, each open for somebody who looks at a workspace for as long as they may. */
export type Viewers = {
  isFull(viewer: Viewer): boolean
  /** Begins an answer that has no end of its own. `onEnd` runs once, whoever ends it. */
  begin(viewing: Viewing, reply: FastifyReply, onEnd: () => void): Stream
  /** No stream is left, and none begins any more. */
  end: () => void
}

export function openViewers({ db, log }: Pick<Parts, 'db' | 'log'>, options: ViewersOptions): Viewers {
  const { most, ofPersonMost, unreadBytesMost, heartbeatEveryMs, lookEveryMs = LOOK_EVERY_MS } = options
  const open = new Set<Viewing & Stream>()
  let ended = false
  let timers: NodeJS.Timeout[] = []

  const watch = (): void => {
    if (timers.length > 0) return
    timers = [setInterval(() => void look(), lookEveryMs)]
    if (heartbeatEveryMs !== undefined) timers.push(setInterval(beat, heartbeatEveryMs))
    for (const timer of timers) timer.unref()
  }
  const rest = (): void => {
    if (open.size > 0) return
    for (const timer of timers) clearInterval(timer)
    timers = []
  }
  const beat = (): void => {
    for (const stream of open) if (!stream.write(':\n\n')) stream.end()
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
  return {
    isFull: ({ userId }) =>
      ended || open.size >= most || [...open].filter((stream) => stream.userId === userId).length >= ofPersonMost,
    begin({ userId, sessionId, workspaceId }, reply, onEnd) {
      const response = hijacked(reply)
      const stream = {
        userId,
        sessionId,
        workspaceId,
        write: (chunk: string | Uint8Array): boolean => {
          if (response.writableLength > unreadBytesMost) response.destroy()
          else if (response.writable) response.write(chunk)
          return response.writable
        },
        end: (): void => {
          if (!open.delete(stream)) return
          onEnd()
          rest()
          response.end()
        },
      }
      open.add(stream)
      watch()
      response.on('close', stream.end)
      response.on('error', stream.end)
      response.writeHead(200, STREAM_HEADERS)
      return stream
    },
    end: () => {
      ended = true
      for (const stream of open) stream.end()
    },
  }
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  connection: 'close', // a server that stops waits for connections that are kept
}

/** The answer itself, with the cookies that the framework would have sent. */
function hijacked(reply: FastifyReply): ServerResponse {
  const cookies = reply.getHeader('set-cookie')
  reply.hijack()
  if (cookies !== undefined) reply.raw.setHeader('set-cookie', cookies)
  return reply.raw
}

export type Admitted = { viewer: Viewer; membership: Membership }

/** Whoever asks about the workspace that the path names, and what they are in it; or why they may not look. */
export async function admit(
  { db, findViewer }: { db: Sql; findViewer: FindViewer },
  request: FastifyRequest<{ Params: { workspaceId: string } }>,
  reply: FastifyReply,
): Promise<Admitted | { status: 401 | 404; why: Sentence }> {
  const { workspaceId } = request.params
  const { person: viewer, cookies } = await findViewer(request)
  if (!viewer) return { status: 401, why: says.signedOut }
  for (const cookie of cookies) reply.header('set-cookie', cookie)
  const membership = isUuid(workspaceId) ? await findMembership(db, { ...viewer, workspaceId }) : undefined
  return membership ? { viewer, membership } : { status: 404, why: says.noWorkspace }
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
async function stillMay(sql: Sql, streams: readonly Viewing[]): Promise<Set<number>> {
  const asked = streams.map(({ sessionId, userId, workspaceId }, n) => ({
    n,
    session_id: sessionId,
    user_id: userId,
    workspace_id: workspaceId,
  }))
  const rows = await sql.rows(selectStillMay, [batch(asked), later(new Date(), -SESSION_MOST_MS)])
  return new Set(rows.map(({ n }) => n))
}

const says = sentences({
  signedOut: { en: 'You are not signed in.', ar: 'لم تسجّل الدخول.' },
  noWorkspace: { en: 'There is no such workspace.', ar: 'لا توجد مساحة عمل كهذه.' },
})
