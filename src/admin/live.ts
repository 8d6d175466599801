import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { MINUTE_MS } from '../lib/clock.ts'
import { isUuid } from '../lib/ids.ts'
import type { Parts } from '../runtime/parts.ts'
import { throttle } from '../lib/throttle.ts'
import { type Membership, findMembership } from './auth/members.ts'
import type { Person } from './auth/person.ts'

/**
 * A removed or signed-out viewer keeps the stream for at most this time. The heartbeat has the same interval, because
 * proxies close a stream that is silent for a minute.
 */
const RECHECK_INTERVAL_MS = MINUTE_MS / 2
const MIN_EVENT_INTERVAL_MS = 400

/** Writes to a viewer. False when the viewer is gone or was cut off. */
export type Write = (chunk: string | Uint8Array) => boolean

/** A route of the dashboard that answers with server-sent events. */
export type StreamSource = {
  /** Has the parameter `workspaceId`. */
  url: string
  /** In this process. */
  maxStreams: number
  maxPerUser: number
  /** A stream whose reader is too slow is cut off, because the unread bytes stay in memory. */
  maxUnreadBytes: number
  /** False for a forwarded stream, which has its own. */
  heartbeats: boolean
  /** Returns what starts writing, or the status of an error. Everything that it opens must end with the signal. */
  connect(membership: Membership, signal: AbortSignal): Promise<((write: Write, end: () => void) => void) | number>
}

type StreamParts = Pick<Parts, 'db' | 'log'> & {
  /** Must not extend the session, whose new cookie a running stream cannot send. */
  findViewer: (request: FastifyRequest) => Promise<Person | undefined>
  /** For tests. */
  recheckIntervalMs?: number
}

/** Streams of server-sent events. Each ends when its viewer may no longer see the workspace. */
export function createStreams({ db, log, findViewer, recheckIntervalMs = RECHECK_INTERVAL_MS }: StreamParts) {
  const open = new Set<{ url: string; userId: string; stop: AbortController }>()
  let ended = false

  async function authorize(
    request: FastifyRequest<{ Params: { workspaceId: string } }>,
  ): Promise<{ userId: string; membership: Membership } | 401 | 404> {
    const { workspaceId } = request.params
    const { userId } = (await findViewer(request)) ?? {}
    if (userId === undefined) return 401
    const membership = isUuid(workspaceId) ? await findMembership(db, { userId, workspaceId }) : undefined
    return membership ? { userId, membership } : 404
  }

  const isFull = ({ url, maxStreams, maxPerUser }: StreamSource, userId: string): boolean => {
    const ofSource = [...open].filter((stream) => stream.url === url)
    return ofSource.length >= maxStreams || ofSource.filter((stream) => stream.userId === userId).length >= maxPerUser
  }

  return {
    serve(scope: FastifyInstance, source: StreamSource): void {
      const { url, maxUnreadBytes } = source
      scope.get<{ Params: { workspaceId: string } }>(url, async (request, reply) => {
        const viewer = await authorize(request)
        if (typeof viewer === 'number') return sendError(reply, viewer)
        const response = reply.raw
        if (ended || response.destroyed || isFull(source, viewer.userId)) return sendError(reply, 503)
        const stop = new AbortController()
        const stream = { url, userId: viewer.userId, stop }
        open.add(stream)
        stop.signal.addEventListener('abort', () => open.delete(stream))
        for (const event of ['close', 'error']) response.on(event, () => stop.abort())

        const start = await source.connect(viewer.membership, stop.signal)
        if (typeof start === 'number') return sendError(reply, start)
        if (stop.signal.aborted) return sendError(reply, 503)
        const write: Write = (chunk) => {
          if (response.writableLength > maxUnreadBytes) response.destroy()
          else if (response.writable) response.write(chunk)
          return response.writable
        }
        let timer: NodeJS.Timeout | undefined
        const recheckLater = (): void => void (timer = setTimeout(() => void recheck(), recheckIntervalMs).unref())
        const recheck = async (): Promise<void> => {
          if (source.heartbeats) write(':\n\n')
          const still = await authorize(request).catch((error: unknown) => {
            // While the database is unavailable the stream stays open.
            log.warn({ err: error }, 'the permission of a live stream could not be checked')
          })
          if (typeof still === 'number') stop.abort()
          if (!stop.signal.aborted) recheckLater()
        }
        recheckLater()
        stop.signal.addEventListener('abort', () => {
          clearTimeout(timer)
          response.end()
        })
        reply.hijack()
        for (const [name, value] of Object.entries(reply.headers(STREAM_HEADERS).getHeaders()))
          if (value !== undefined) response.setHeader(name, value)
        response.flushHeaders()
        start(write, () => stop.abort())
        return reply
      })
    },
    /** Ends all streams and accepts no new ones. */
    end(): void {
      ended = true
      for (const { stop } of open) stop.abort()
    },
  }
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
  connection: 'close', // a stopping server waits for kept-alive connections
}

/** An EventSource shows its page nothing of the answer. */
const sendError = (reply: FastifyReply, status: number): FastifyReply =>
  reply.code(status).send('The stream cannot be opened.')

/** One stream for each visible page. Its events make the page refetch; they do not say what changed. */
export const changesOf = (live: Parts['live']): StreamSource => ({
  url: '/dashboard/live/:workspaceId',
  maxStreams: 500,
  maxPerUser: 20,
  maxUnreadBytes: 16_384,
  heartbeats: true,
  connect:
    async ({ workspaceId }, signal) =>
    (write) => {
      const events = throttle(
        () => void write('event: changed\ndata:\n\n'),
        () => MIN_EVENT_INTERVAL_MS,
      )
      const unfollow = live.follow(workspaceId, events.call)
      signal.addEventListener('abort', () => {
        unfollow()
        events.end()
      })
      write('event: ready\ndata:\n\n')
    },
})
