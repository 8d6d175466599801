import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Act, callOf } from '../../emulator/phone/chats.ts'
import { SECOND_MS } from '../clock.ts'
import type { Parts } from '../parts.ts'
import { type Sentence, quoted, sentences } from '../sentences.ts'
import { pageLanguage } from './page-language.ts'
import { type Twin, askTwin, findTwin, isRecord } from './twin.ts'
import { type FindViewer, type Stream, type Viewer, admit, openViewers } from './viewers.ts'

export const TWIN_PATH = '/dashboard/twin'

/** A gesture is answered when its webhook was, for which the twin waits 10 s. */
const ACT_TIMEOUT_MS = 13 * SECOND_MS
const CHAT_TIMEOUT_MS = 5 * SECOND_MS
const STREAM_TIMEOUT_MS = 5 * SECOND_MS
/** What a twin tells is passed on byte for byte, its heartbeats as well. */
const STREAMS = { most: 40, ofPersonMost: 10, unreadBytesMost: 16 * 1024 * 1024 }
const ENTRIES_MOST = 1_000
const TEXT_CHARACTERS_MOST = 4_096
const ID_CHARACTERS_MOST = 300
const PLACE_MOST = 100

const phone = z.string().regex(/^\+\d{7,15}$/)
const number = z.string().regex(/^\d{1,40}$/)
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
  findViewer: FindViewer
  /** For tests: how often it looks whether each viewer may still see. */
  lookEveryMs?: number
}

type Params = { workspaceId: string }

/**
 * What the phone's page asks of a sandbox's twin, for its members: chats with the workspace's own senders, and what
 * their customers do. Looking at them and tapping takes no more than being a member: it changes nothing of the workspace
 * but what any customer could. Nothing else of a twin's control API is reached through here.
 */
export function twinProxy(parts: Pick<Parts, 'db' | 'log'>, { findViewer, lookEveryMs }: TwinProxyOptions): TwinProxy {
  const { db } = parts
  const viewers = openViewers(parts, { ...STREAMS, lookEveryMs })

  async function start(viewer: Viewer, workspaceId: string, { twin, reply }: { twin: Twin; reply: FastifyReply }) {
    const aborter = new AbortController()
    const late = setTimeout(() => aborter.abort(), STREAM_TIMEOUT_MS)
    const query = new URLSearchParams([...twin.numbers.keys()].map((id) => ['number', id]))
    const told = await fetch(`${twin.origin}/control/live?${query.toString()}`, {
      redirect: 'error',
      signal: aborter.signal,
    }).catch(() => undefined)
    clearTimeout(late)
    if (told?.status !== 200 || !told.body) return refuse(reply, SILENT)
    if (reply.raw.destroyed || viewers.isFull(viewer)) {
      aborter.abort()
      return refuse(reply, TOO_MANY)
    }
    const stream = viewers.begin({ ...viewer, workspaceId }, reply, () => aborter.abort())
    void passOn(told.body, stream).finally(stream.end)
    return reply
  }

  /** The workspace's twin for a member of a sandbox; or it has answered already. */
  async function findAdmitted(
    request: FastifyRequest<{ Params: Params }>,
    reply: FastifyReply,
  ): Promise<{ viewer: Viewer; workspaceId: string; twin: Twin } | undefined> {
    const admitted = await admit({ db, findViewer }, request, reply)
    if ('why' in admitted) {
      refuse(reply, admitted)
      return undefined
    }
    const { viewer, membership } = admitted
    const { workspaceId, sandbox } = membership
    const twin = sandbox ? await findTwin(parts, workspaceId) : undefined
    if (twin) return { viewer, workspaceId, twin }
    refuse(reply, NO_PHONES)
    return undefined
  }

  return {
    serve(scope) {
      scope.get<{ Params: Params }>(`${TWIN_PATH}/:workspaceId/live`, async (request, reply) => {
        const admitted = await findAdmitted(request, reply)
        if (!admitted) return reply
        if (viewers.isFull(admitted.viewer)) return refuse(reply, TOO_MANY)
        return start(admitted.viewer, admitted.workspaceId, { twin: admitted.twin, reply })
      })
      scope.get<{ Params: Params; Querystring: Record<string, unknown> }>(
        `${TWIN_PATH}/:workspaceId/chat`,
        async (request, reply) => {
          const admitted = await findAdmitted(request, reply)
          if (!admitted) return reply
          const asked = z.strictObject(pair).safeParse(request.query)
          if (!asked.success || !admitted.twin.numbers.has(asked.data.number)) return refuse(reply, NO_PHONE)
          const chats = await listChats(admitted.twin, asked.data)
          if (!chats) return refuse(reply, SILENT)
          return reply.send(JSON.stringify({ entries: entriesOf(chats) }))
        },
      )
      scope.post<{ Params: Params }>(`${TWIN_PATH}/:workspaceId/act`, async (request, reply) => {
        const admitted = await findAdmitted(request, reply)
        if (!admitted) return reply
        const asked = act.safeParse(bodyOf(request))
        if (!asked.success) return refuse(reply, NO_GESTURE)
        const obstacle = await whatIsMissing(admitted.twin, asked.data)
        if (obstacle) return refuse(reply, obstacle)
        const { path, body } = callOf(asked.data)
        const answer = await askTwin(admitted.twin.origin, path, { body, timeoutMs: ACT_TIMEOUT_MS }).catch(
          () => undefined,
        )
        if (!answer) return refuse(reply, SILENT)
        if (answer.status === 200) return reply.send('{}')
        return refuse(reply, { status: 409, why: faultOf(answer.body) })
      })
    },
    end: viewers.end,
  }
}

type Refused = { status: number; why: Sentence }

const says = sentences({
  noGesture: { en: 'The customer cannot do that.', ar: 'لا يستطيع العميل فعل ذلك.' },
  noPhones: { en: 'This workspace has no phones.', ar: 'ليس لمساحة العمل هذه هواتف.' },
  noPhone: { en: 'There is no such phone in this workspace.', ar: 'لا يوجد هاتف كهذا في مساحة العمل هذه.' },
  noChat: {
    en: 'This phone has no chat with this workspace yet. Send it a message first.',
    ar: 'ليس لهذا الهاتف محادثة مع مساحة العمل هذه بعد. أرسل إليه رسالة أولًا.',
  },
  noMessage: { en: 'There is no such message in this chat.', ar: 'لا توجد رسالة كهذه في هذه المحادثة.' },
  silent: { en: 'The twin does not answer right now.', ar: 'لا يجيب التوأم الآن.' },
  tooMany: { en: 'Too many phones are open; close some.', ar: 'هواتف كثيرة جدًا مفتوحة؛ أغلق بعضها.' },
  unable: { en: 'The twin could not do it.', ar: 'لم يستطع التوأم فعل ذلك.' },
})

const NO_GESTURE: Refused = { status: 400, why: says.noGesture }
const NO_PHONES: Refused = { status: 404, why: says.noPhones }
const NO_PHONE: Refused = { status: 404, why: says.noPhone }
const NO_CHAT: Refused = { status: 404, why: says.noChat }
const NO_MESSAGE: Refused = { status: 404, why: says.noMessage }
const SILENT: Refused = { status: 502, why: says.silent }
const TOO_MANY: Refused = { status: 503, why: says.tooMany }

/**
 * What of it this workspace does not have; what others have on the same twin is as missing as what nobody has. To turn a
 * phone off reaches all whom it talks with, as in life: so it takes a chat.
 */
async function whatIsMissing(twin: Twin, asked: Act): Promise<Refused | undefined> {
  if (!('number' in asked)) {
    const chats = await listChats(twin, { phone: asked.phone }, 1)
    if (!chats) return SILENT
    return chats.some(({ number }) => typeof number === 'string' && twin.numbers.has(number)) ? undefined : NO_CHAT
  }
  if (!twin.numbers.has(asked.number)) return NO_PHONE
  if (!('message' in asked)) return undefined
  const { phone, number, message } = asked
  const chats = await listChats(twin, { phone, number })
  if (!chats) return SILENT
  return entriesOf(chats).some(({ id }) => id === message) ? undefined : NO_MESSAGE
}

type TwinChat = Record<string, unknown>

/** The chats of a phone, or the one with a number, each with its last entries. Undefined: the twin does not answer. */
async function listChats(
  { origin }: Twin,
  of: { phone: string; number?: string },
  entriesMost = ENTRIES_MOST,
): Promise<readonly TwinChat[] | undefined> {
  const query = new URLSearchParams({ ...of, limit: String(entriesMost) })
  const path = `/control/conversations?${query.toString()}`
  const answer = await askTwin(origin, path, { timeoutMs: CHAT_TIMEOUT_MS }).catch(() => undefined)
  return answer?.status === 200 ? recordsIn(answer.body, 'conversations') : undefined
}

const entriesOf = ([chat]: readonly TwinChat[]): readonly Record<string, unknown>[] => recordsIn(chat, 'entries')

const recordsIn = (body: unknown, member: string): Record<string, unknown>[] => {
  const found = isRecord(body) ? body[member] : undefined
  return Array.isArray(found) ? found.filter(isRecord) : []
}

/** Why the twin could not do it, which speaks of nothing but this chat: what is elsewhere was missing before. */
function faultOf(body: unknown): Sentence {
  const error = isRecord(body) ? body['error'] : undefined
  return isRecord(error) && typeof error['message'] === 'string' ? quoted(error['message']) : says.unable
}

function bodyOf({ body }: FastifyRequest): unknown {
  try {
    return JSON.parse(body instanceof Buffer ? body.toString('utf8') : '')
  } catch {
    return undefined
  }
}

async function passOn(body: ReadableStream<Uint8Array>, stream: Stream): Promise<void> {
  try {
    for await (const chunk of body) if (!stream.write(chunk)) return
  } catch {
    // The twin has ended it, or whoever looked has gone: the page opens another one.
  }
}

const refuse = (reply: FastifyReply, { status, why }: Refused): FastifyReply =>
  reply
    .code(status)
    .type('application/json')
    .header('cache-control', 'no-store')
    .send(JSON.stringify({ error: { message: why[pageLanguage(reply.request)] } }))
