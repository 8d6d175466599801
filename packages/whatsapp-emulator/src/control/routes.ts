import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { credentialsOf } from '../accounts/issued.ts'
import { ControlError, GraphError } from '../errors.ts'
import { verifyCallback } from '../graph/subscriptions.ts'
import { EMULATOR_LIMITS, META_LIMITS } from '../limits.ts'
import { STATUS_NAMES, statusSchema } from '../messages/script.ts'
import type { Parts } from '../parts.ts'
import type { DueAnswer } from '../wire/chats.ts'
import type { Control } from './control.ts'
import type { Live } from './live.ts'
import { showAccount, showConversation, showMessage, showNumber, showPost, showTemplate } from './views.ts'

type Query = Record<string, unknown>
type Emulator = { parts: Parts; control: Control; live: Live }
/** `body` is passed on unchecked: the called function checks it. */
type Call = Emulator & { id: string; query: Query; body: never; reply: FastifyReply }
type ControlRoute = { method: string; path: string; what: string; run: (call: Call) => unknown }

function route(
  call: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`,
  what: string,
  run: ControlRoute['run'],
) {
  const [method = '', path = ''] = call.split(' ')
  return { method, path, what, run }
}

const text = z.string().optional()
const limit = (max: number) => z.coerce.number().int().min(1).max(max).default(100)
const messageMatch = { id: text, to: text, from: text, template: text, callbackData: text }
const messageQuery = z.strictObject({ ...messageMatch, limit: limit(EMULATOR_LIMITS.messagesKept) })
const conversationQuery = z.strictObject({
  phone: text,
  number: text,
  limit: limit(EMULATOR_LIMITS.messagesKept + EMULATOR_LIMITS.inboundKept),
})
const liveQuery = z.strictObject({
  number: z.union([z.string(), z.array(z.string()).max(EMULATOR_LIMITS.liveNumbers)]).optional(),
})
const statusesBody = z.strictObject({
  message: z.string().min(1),
  statuses: z
    .array(z.union([z.enum(STATUS_NAMES), statusSchema]))
    .min(1)
    .max(EMULATOR_LIMITS.stepsPerScript),
})
const dueQuery = z
  .strictObject({ phone: z.string(), number: z.string() })
  .partial()
  .refine(({ phone, number }) => (phone === undefined) === (number === undefined), {
    message: 'give phone and number, or neither',
  })
const webhookBody = z.strictObject({ field: z.string().min(1), value: z.unknown() })

/** Every route of the control API. The called functions check the bodies. */
export const controlRoutes: readonly ControlRoute[] = [
  route('GET /control/accounts', 'Accounts with their numbers and templates', ({ parts }) => ({
    accounts: parts.accounts.list().map(showAccount),
  })),
  route('POST /control/accounts', 'Adds an account', ({ control, body }) => showAccount(control.addAccount(body))),
  route(
    'PUT /control/accounts/:id',
    'Adds a business that can send immediately, or returns the existing one, and shows its credentials',
    ({ control, id, body }) => credentialsOf(control.issueAccount(id, body)),
  ),
  route(
    'PATCH /control/accounts/:id',
    'Callback, subscription, a code that blocks all sends, whether statuses come immediately',
    ({ control, id, body }) => showAccount(control.changeAccount(id, body)),
  ),
  route('POST /control/accounts/:id/numbers', 'Adds a phone number', ({ control, id, body }) =>
    showNumber(control.addNumber(id, body)),
  ),
  route(
    'POST /control/accounts/:id/templates',
    'Adds a template, approved unless it says otherwise',
    ({ control, id, body }) => showTemplate(control.addTemplate(id, body)),
  ),
  route('POST /control/accounts/:id/review', 'How the next created templates are reviewed', ({ control, id, body }) => {
    control.planReview(id, body)
    return { reviews: control.getAccount(id).reviews }
  }),
  route('POST /control/accounts/:id/webhook', 'Posts any webhook field now', async ({ control, id, body }) => {
    const { field, value } = webhookBody.parse(body)
    return { posts: [await control.webhook(id, field, value)].map(showPost) }
  }),
  route(
    'POST /control/accounts/:id/verify-callback',
    'Does the verification handshake with the callback',
    ({ control, id }) => verify(control, id),
  ),
  route('PATCH /control/numbers/:id', 'Status, quality, throughput, limit of a number', ({ control, id, body }) =>
    showNumber(control.changeNumber(id, body)),
  ),
  route('DELETE /control/numbers/:id/chats', 'Removes all chats with a number', ({ control, id }) => {
    control.clearChats(id)
    return { cleared: id }
  }),
  route(
    'PATCH /control/templates/:id',
    'Status, category, quality of a template, with its webhook',
    ({ control, id, body }) => showTemplate(control.changeTemplate(id, body)),
  ),
  route(
    'GET /control/scripts',
    'Scripts in the order in which they are tried, with what customers could not do; presets last',
    ({ control }) => ({ scripts: control.scripts() }),
  ),
  route('POST /control/scripts', 'Adds a script: a behaviour, steps or a preset', ({ control, body }) =>
    control.script(body),
  ),
  route('DELETE /control/scripts', 'Removes all scripts and what their customers are about to do', ({ control }) => {
    control.clearScripts()
    return { scripts: control.scripts() }
  }),
  route(
    'DELETE /control/scripts/:id',
    'Removes one script and what its customers are about to do',
    ({ control, id }) => {
      if (!control.removeScript(id)) throw new ControlError(`there is no script ${id}; it may be used up`, 404)
      return { removed: id }
    },
  ),
  route(
    'GET /control/conversations',
    'Chats with both sides in order, latest chat first: ?phone= ?number= ?limit=',
    ({ control, query }) => listChats(control, query),
  ),
  route(
    'GET /control/messages',
    'Messages on the phones, latest first: ?to= ?from= ?template= ?callbackData= ?id= ?limit=',
    ({ parts, query }) => listMessages(parts, query),
  ),
  route('POST /control/statuses', 'Posts statuses of a message now', async ({ control, body }) => {
    const { message, statuses } = statusesBody.parse(body)
    return { posts: (await control.report(message, statuses)).map(showPost) }
  }),
  route(
    'POST /control/inbound',
    'A customer writes, taps or chooses, now, later or again',
    async ({ control, body }) => {
      const { id, posts } = await control.inbound(body)
      return { id, posts: posts.map(showPost) }
    },
  ),
  route('GET /control/inbound', 'What customers wrote, and what the business marked as read', ({ parts }) => ({
    inbound: parts.inbox.list().toReversed(),
  })),
  route(
    'POST /control/phones',
    'Turns a phone off or on, blocks a business number, hides what was read, gives it a name or a username',
    ({ control, body }) => control.setPhone(body),
  ),
  route('POST /control/read', 'The customer opens the chat: what has come is read', ({ control, body }) => ({
    lookedAt: control.openChat(body),
  })),
  route(
    'GET /control/live',
    'Server-sent events: first all chats, then each change: ?number= for some business numbers',
    openStream,
  ),
  route(
    'GET /control/clock',
    'The emulator’s time, what is due in a chat (?phone= ?number=), and of each kind the next elsewhere',
    ({ control, query }) => showDue(control, query),
  ),
  route(
    'POST /control/clock',
    'Moves the time forward by a span or to an instant; what falls due on the way happens first',
    ({ control, body }) => control.moveClock(body),
  ),
  route('GET /control/webhooks', 'The latest webhook posts with their responses', ({ parts }) => ({
    posts: parts.outbox.posts().toReversed(),
  })),
  route('POST /control/pause', 'Holds webhooks back', ({ parts }) => {
    parts.outbox.pause()
    return { paused: true }
  }),
  route('POST /control/resume', 'Posts what was held back', ({ parts }) => {
    parts.outbox.resume()
    return { paused: false }
  }),
  route('POST /control/reset', 'Forgets messages, scripts, windows, limits and what is scheduled', ({ control }) => {
    control.reset()
    return { reset: true }
  }),
  route('GET /control/metrics', 'Counts', ({ control }) => control.metrics()),
  route('GET /control/limits', 'Every limit, Meta’s and the emulator’s own', () => ({
    meta: META_LIMITS,
    emulator: EMULATOR_LIMITS,
  })),
]

/** Adds the control API. Its errors are its own: `{"error":{"message","faults"}}`. */
export async function addControl(server: FastifyInstance, emulator: Emulator): Promise<void> {
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((fault: Error & { statusCode?: number }, _request, reply) => {
      const { status, error } = controlFault(fault)
      return reply.code(status).send({ error })
    })
    // `curl -d` calls everything a form: here every body is JSON.
    scope.removeContentTypeParser('application/x-www-form-urlencoded')
    for (const { method, path, run } of controlRoutes) {
      scope.route<{ Params: { id?: string }; Querystring: Query }>({
        method,
        url: path,
        onRequest: rejectOtherPages,
        handler: async ({ params, query, body }, reply) =>
          await run({ ...emulator, id: params.id ?? '', query, body: (body ?? {}) as never, reply }),
      })
    }
    done()
  })
}

/** Host names that only a page of this machine can have. */
const LOOPBACK = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i

/**
 * The control API has no password, and every web page that is open in a browser on this machine can send requests to
 * it, or have its own name point to it. So a browser must say that it shows the emulator's own page; other clients,
 * such as curl, send no such headers.
 */
async function rejectOtherPages({ headers }: FastifyRequest): Promise<void> {
  const { host = '', origin } = headers
  const site = headers['sec-fetch-site']
  if (!LOOPBACK.test(host)) throw rejection(`the host is ${host}: call the emulator by 127.0.0.1 or localhost`)
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw rejection('the request comes from a page of another site')
  if (origin !== undefined && origin !== `http://${host}`) throw rejection(`the request comes from a page of ${origin}`)
}

const rejection = (why: string): ControlError =>
  new ControlError(`only the emulator’s own page may do this; ${why}`, 403)

/** Without numbers, the stream covers all of them and the webhooks. */
function openStream({ parts, live, query, reply }: Call): FastifyReply {
  const { number } = liveQuery.parse(query)
  if (live.isFull) throw new ControlError(`there are ${EMULATOR_LIMITS.liveStreams} streams already; end one`, 503)
  const names = number === undefined ? undefined : [number].flat()
  const numbers = names && new Set(names.map((name) => parts.accounts.findNumberByName(name)?.number.id ?? name))
  reply.hijack()
  live.open({ numbers, response: reply.raw })
  return reply
}

function listMessages(parts: Parts, query: Query) {
  const { id, limit, ...filter } = messageQuery.parse(query)
  const messages = parts.messages.list(filter).filter((message) => id === undefined || message.id === id)
  return { messages: messages.slice(-limit).toReversed().map(showMessage) }
}

function listChats(control: Control, query: Query) {
  const { limit, ...filter } = conversationQuery.parse(query)
  const conversations = control.conversations(filter).slice(0, EMULATOR_LIMITS.conversationsShown)
  return { conversations: conversations.map((conversation) => showConversation(conversation, limit)) }
}

function showDue(control: Control, query: Query): DueAnswer {
  const { phone, number } = dueQuery.parse(query)
  return control.due(phone === undefined || number === undefined ? undefined : { phone, number })
}

async function verify(control: Control, accountId: string) {
  const { overrideCallbackUrl, callbackUrl, verifyToken } = control.getAccount(accountId)
  const url = overrideCallbackUrl ?? callbackUrl
  if (url === undefined) throw new ControlError('the account has no callbackUrl; PATCH /control/accounts/:id sets it')
  const fault = await verifyCallback(url, verifyToken)
  if (fault !== undefined) throw new ControlError(fault, 422)
  return { verified: url }
}

type Faults = { message: string; faults?: { path: string; message: string }[] }

function controlFault(fault: Error & { statusCode?: number }): { status: number; error: Faults } {
  if (fault instanceof z.ZodError) {
    const message = 'the request is not right; see faults, and README.md for the forms'
    return { status: 400, error: { message, faults: fault.issues.flatMap((issue) => readIssue(issue)) } }
  }
  if (fault instanceof ControlError) return { status: fault.httpStatus, error: { message: fault.message } }
  const known = fault instanceof GraphError || (fault.statusCode ?? 500) < 500
  const message = known
    ? `${fault.message}: the body must be JSON of at most ${EMULATOR_LIMITS.requestBytes} bytes`
    : `a fault of the emulator: ${fault.message}`
  return { status: known ? 400 : 500, error: { message } }
}

/** For a choice between forms, returns the faults of the closest form: the one that was parsed deepest. */
function readIssue(issue: z.core.$ZodIssue, within: readonly PropertyKey[] = []): { path: string; message: string }[] {
  const path = [...within, ...issue.path]
  const closest = issue.code === 'invalid_union' ? issue.errors.find((form) => form.some(isInside)) : undefined
  if (closest !== undefined) return closest.flatMap((inner) => readIssue(inner, path))
  return [{ path: path.join('.'), message: issue.message }]
}

function isInside(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 || issue.code === 'custom' || issue.code === 'unrecognized_keys'
}
