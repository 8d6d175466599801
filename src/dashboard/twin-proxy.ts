import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Act, callOf } from '../../emulator/phone/chats.ts'
import { SECOND_MS } from '../clock.ts'
import { isUuid } from '../ids.ts'
import type { Parts } from '../parts.ts'
import type { FoundPerson } from './auth.ts'
import { type Viewer, stillMay } from './live.ts'
import { findMembership } from './membership.ts'
import { type Twin, askTwin, findTwin, isRecord } from './twin.ts'

export const TWIN_PATH = '/dashboard/twin'

/** A gesture is answered when its webhook was, for which the twin waits 10 s. */
const ACT_TIMEOUT_MS = 13 * SECOND_MS
const CHAT_TIMEOUT_MS = 5 * SECOND_MS
const STREAM_TIMEOUT_MS = 5 * SECOND_MS
const STREAMS_MOST = 40
const STREAMS_OF_PERSON_MOST = 10
const ENTRIES_MOST = 1_000
/** How long somebody who was removed or signed out still sees. */
const LOOK_EVERY_MS = 30 * SECOND_MS
/** A reader who takes nothing more is cut off: what waits for them is memory. */
const UNREAD_BYTES_MOST = 16 * 1024 * 1024
const TEXT_CHARACTERS_MOST = 4_096
const ID_CHARACTERS_MOST = 300
const PLACE_MOST = 100

const phone = z.string().regex(/^\+\d{7,15}$/, 'must be a phone number with its + and country')
const number = z.string().regex(/^\d{1,40}$/, 'must be the id of a number')
const pair = { phone, number }
const message = z.string().min(1).max(ID_CHARACTERS_MOST)
const place = z.int().min(0).max(PLACE_MOST)

/** All that goes through to a twin, each made into one call of its control API (emulator/phone/chats.ts). */
const act = z.discriminatedUnion('do', [
  z.strictObject({
    do: z.literal('text'),
    ...pair,
    text: z.string().min(1).max(TEXT_CHARACTERS_MOST),
    quote: message.optional(),
  }),
  z.strictObject({ do: z.literal('tap'), ...pair, message, button: place }),
  z.strictObject({ do: z.literal('choose'), ...pair, message, row: place }),
  z.strictObject({ do: z.literal('read'), ...pair }),
  z.strictObject({ do: z.literal('block'), ...pair, blocked: z.boolean() }),
  z.strictObject({ do: z.literal('online'), phone, online: z.boolean() }),
  z.strictObject({ do: z.literal('receipts'), phone, readReceipts: z.boolean() }),
]) satisfies z.ZodType<Act>

export type TwinProxy = {
  serve(scope: FastifyInstance): void
  /** No stream is left, and none begins any more. */
  end(): void
}

export type TwinProxyOptions = {
  findViewer: (request: FastifyRequest) => Promise<FoundPerson>
  /** For tests: how often it looks whether each viewer may still see. */
  lookEveryMs?: number
}

type Stream = Viewer & { workspaceId: string; end: () => void }
type Params = { workspaceId: string }

/**
 * What the phone's page asks of a sandbox's twin, for its members: chats with the workspace's own senders, and what
 * their customers do. Looking at them and tapping takes no more than being a member: it changes nothing of the workspace
 * but what any customer could. Nothing else of a twin's control API is reached through here.
 */
export function twinProxy(
  parts: Pick<Parts, 'db' | 'log'>,
  { findViewer, lookEveryMs = LOOK_EVERY_MS }: TwinProxyOptions,
): TwinProxy {
  const { db, log } = parts
  const open = new Set<Stream>()
  let ended = false
  let looking: NodeJS.Timeout | undefined

  const look = async (): Promise<void> => {
    const looked = [...open]
    const may = await stillMay(db, looked).catch((error: unknown) => {
      log.warn({ err: error }, 'whether viewers of a phone may still look could not be asked')
      return undefined
    })
    looked.forEach((stream, at) => {
      if (may && !may.has(at)) stream.end()
    })
  }

  const isFull = ({ userId }: Viewer): boolean =>
    ended ||
    open.size >= STREAMS_MOST ||
    [...open].filter((stream) => stream.userId === userId).length >= STREAMS_OF_PERSON_MOST

  async function start(viewer: Viewer, workspaceId: string, { twin, reply }: { twin: Twin; reply: FastifyReply }) {
    const aborter = new AbortController()
    const late = setTimeout(() => aborter.abort(), STREAM_TIMEOUT_MS)
    const query = new URLSearchParams([...twin.numbers.keys()].map((id) => ['number', id]))
    const told = await fetch(`${twin.origin}/control/live?${query.toString()}`, {
      redirect: 'error',
      signal: aborter.signal,
    }).catch(() => undefined)
    clearTimeout(late)
    if (told?.status !== 200 || !told.body) return refuse(reply, 502, 'The twin does not answer right now.')
    if (reply.raw.destroyed || isFull(viewer)) {
      aborter.abort()
      return refuse(reply, 503, 'Too many phones are open; close some.')
    }
    reply.hijack()
    const response = reply.raw
    const cookies = reply.getHeader('set-cookie')
    if (cookies !== undefined) response.setHeader('set-cookie', cookies)
    const end = (): void => {
      open.delete(stream)
      if (open.size === 0) {
        clearInterval(looking)
        looking = undefined
      }
      aborter.abort()
      response.end()
    }
    const stream: Stream = { userId: viewer.userId, sessionId: viewer.sessionId, workspaceId, end }
    open.add(stream)
    looking ??= setInterval(() => void look(), lookEveryMs).unref()
    response.on('close', end)
    response.on('error', end)
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    void passOn(told.body, response).finally(end)
    return reply
  }

  /** The workspace's twin for a member of a sandbox; or it has answered already. */
  async function admit(
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
  ): Promise<{ viewer: Viewer; workspaceId: string; twin: Twin } | undefined> {
    const { workspaceId } = request.params
    const { person: viewer, cookies } = await findViewer(request)
    if (!viewer) {
      refuse(reply, 401, 'You are not signed in.')
      return undefined
    }
    for (const cookie of cookies) reply.header('set-cookie', cookie)
    const membership = isUuid(workspaceId) && (await findMembership(db, { ...viewer, workspaceId }))
    const twin = membership && membership.sandbox ? await findTwin(parts, membership.workspaceId) : undefined
    if (membership && twin) return { viewer, workspaceId: membership.workspaceId, twin }
    refuse(reply, 404, membership ? 'This workspace has no phones.' : 'There is no such workspace.')
    return undefined
  }

  return {
    serve(scope) {
      scope.get<{ Params: Params }>(`${TWIN_PATH}/:workspaceId/live`, async (request, reply) => {
        const admitted = await admit(request, reply)
        if (!admitted) return reply
        if (isFull(admitted.viewer)) return refuse(reply, 503, 'Too many phones are open; close some.')
        return start(admitted.viewer, admitted.workspaceId, { twin: admitted.twin, reply })
      })
      scope.get<{ Params: Params; Querystring: Record<string, unknown> }>(
        `${TWIN_PATH}/:workspaceId/chat`,
        async (request, reply) => {
          const admitted = await admit(request, reply)
          if (!admitted) return reply
          const asked = z.strictObject(pair).safeParse(request.query)
          if (!asked.success || !admitted.twin.numbers.has(asked.data.number)) return missingPhone(reply)
          const query = new URLSearchParams({ ...asked.data, limit: String(ENTRIES_MOST) })
          const path = `/control/conversations?${query.toString()}`
          const answer = await askTwin(admitted.twin.origin, path, { timeoutMs: CHAT_TIMEOUT_MS }).catch(
            () => undefined,
          )
          if (answer?.status !== 200) return refuse(reply, 502, 'The twin does not answer right now.')
          const [chat] = chatsIn(answer.body)
          return reply.send(JSON.stringify({ entries: chat?.['entries'] ?? [] }))
        },
      )
      scope.post<{ Params: Params }>(`${TWIN_PATH}/:workspaceId/act`, async (request, reply) => {
        const admitted = await admit(request, reply)
        if (!admitted) return reply
        const asked = act.safeParse(bodyOf(request))
        if (!asked.success) return refuse(reply, 400, 'The customer cannot do that.')
        if (!(await isOurs(admitted.twin, asked.data))) return missingPhone(reply)
        const { path, body } = callOf(asked.data)
        const answer = await askTwin(admitted.twin.origin, path, { body, timeoutMs: ACT_TIMEOUT_MS }).catch(
          () => undefined,
        )
        if (!answer) return refuse(reply, 502, 'The twin does not answer right now.')
        if (answer.status === 200) return reply.send('{}')
        return refuse(reply, 409, faultOf(answer.body))
      })
    },
    end() {
      ended = true
      for (const stream of open) stream.end()
    },
  }
}

/** A phone that talks with others alone is a missing one. Turning it off reaches all whom it talks with. */
async function isOurs({ origin, numbers }: Twin, asked: Act): Promise<boolean> {
  if ('number' in asked) return numbers.has(asked.number)
  const query = new URLSearchParams({ phone: asked.phone, limit: '1' })
  const path = `/control/conversations?${query.toString()}`
  const answer = await askTwin(origin, path, { timeoutMs: CHAT_TIMEOUT_MS }).catch(() => undefined)
  if (answer?.status !== 200) return false
  const talksWith = chatsIn(answer.body).map((chat) => chat['number'])
  return talksWith.length === 0 || talksWith.some((id) => typeof id === 'string' && numbers.has(id))
}

const chatsIn = (body: unknown): Record<string, unknown>[] =>
  isRecord(body) && Array.isArray(body['conversations']) ? body['conversations'].filter(isRecord) : []

/** Why the twin could not do it, which speaks of nothing but this chat. */
function faultOf(body: unknown): string {
  const error = isRecord(body) ? body['error'] : undefined
  return isRecord(error) && typeof error['message'] === 'string' ? error['message'] : 'The twin could not do it.'
}

function bodyOf({ body }: FastifyRequest): unknown {
  try {
    return JSON.parse(body instanceof Buffer ? body.toString('utf8') : '')
  } catch {
    return undefined
  }
}

async function passOn(body: ReadableStream<Uint8Array>, response: ServerResponse): Promise<void> {
  try {
    for await (const chunk of body) {
      if (!response.writable) return
      if (response.writableLength > UNREAD_BYTES_MOST) return void response.destroy()
      response.write(chunk)
    }
  } catch {
    // The twin has ended it, or whoever looked has gone: the page opens another one.
  }
}

const refuse = (reply: FastifyReply, status: number, message: string): FastifyReply =>
  reply
    .code(status)
    .type('application/json')
    .header('cache-control', 'no-store')
    .send(JSON.stringify({ error: { message } }))

const missingPhone = (reply: FastifyReply): FastifyReply =>
  refuse(reply, 404, 'There is no such phone in this workspace.')
