import { z } from 'zod'
import {
  addAccount,
  addCustomer,
  addNumber,
  addScript,
  addTemplate,
  changeAccountSettings,
  changeNumber,
  changeTemplateById,
  clearCustomers,
  getAccount,
  listConversations,
  look,
  metricsOf,
  pairOf,
  planReview,
  removeCustomer,
  report,
  reset,
  setPhone,
  tellField,
} from './control-actions.ts'
import { stepSchema, STATUS_NAMES } from './behaviour.ts'
import { ControlError } from './control-error.ts'
import { customerSchema } from './customer-steps.ts'
import { showAccount, showConversation, showMessage, showNumber, showPost, showTemplate } from './control-views.ts'
import { listDue, timeOf } from './due.ts'
import { GraphError } from './errors.ts'
import { findNumber, receive } from './inbound.ts'
import { META_LIMITS, TWIN_LIMITS } from './limits.ts'
import { refuseOtherPages } from './own-pages.ts'
import { verifyCallback } from './subscriptions.ts'
import { moveClock } from './time-machine.ts'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { AccountSeed, NumberSeed } from './accounts.ts'
import type { ScriptSeed } from './behaviour.ts'
import type { AccountChange, NumberChange, PhoneChange, TemplateChange } from './control-actions.ts'
import type { InboundSeed } from './inbound.ts'
import type { MessageFilter } from './messages.ts'
import type { Parts } from './parts.ts'
import type { Pair } from './phone/chats.ts'
import type { DueAnswer } from './phone/due.ts'
import type { ReviewSeed } from './review-plan.ts'
import type { TemplateSeed } from './templates.ts'
import type { MoveSeed } from './time-machine.ts'

type Call = { id: string; query: Record<string, unknown>; body: unknown; reply: FastifyReply }
type ControlRoute = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  what: string
  run: (parts: Parts, call: Call) => unknown
  /** Answers by itself for as long as it likes. */
  streams?: true
}

const messageQuery = z.strictObject({
  id: z.string().optional(),
  to: z.string().optional(),
  from: z.string().optional(),
  template: z.string().optional(),
  callbackData: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(TWIN_LIMITS.messagesKept).default(100),
})
const conversationQuery = z.strictObject({
  phone: z.string().optional(),
  number: z.string().optional(),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(TWIN_LIMITS.messagesKept + TWIN_LIMITS.inboundKept)
    .default(100),
})
const liveQuery = z.strictObject({
  number: z.union([z.string(), z.array(z.string()).max(TWIN_LIMITS.liveNumbers)]).optional(),
})
const statusesBody = z.strictObject({
  message: z.string().min(1),
  statuses: z
    .array(z.union([z.enum(STATUS_NAMES), stepSchema]))
    .min(1)
    .max(TWIN_LIMITS.stepsPerScript),
})
const dueQuery = z
  .strictObject({ phone: z.string(), number: z.string() })
  .partial()
  .refine(({ phone, number }) => (phone === undefined) === (number === undefined), {
    message: 'give phone and number, or neither',
  })
const webhookBody = z.strictObject({ field: z.string().min(1), value: z.unknown() })

/** Every route of the control API. Bodies are checked by what they call. */
export const controlRoutes: readonly ControlRoute[] = [
  {
    method: 'GET',
    path: '/control/accounts',
    what: 'Accounts with their numbers and templates',
    run: (parts) => ({ accounts: parts.accounts.list().map(showAccount) }),
  },
  {
    method: 'POST',
    path: '/control/accounts',
    what: 'Adds an account',
    run: (parts, { body }) => showAccount(addAccount(parts, body as AccountSeed)),
  },
  {
    method: 'PATCH',
    path: '/control/accounts/:id',
    what: 'Callback, subscription, a code that blocks all sends',
    run: (parts, { id, body }) => showAccount(changeAccountSettings(parts, id, body as AccountChange)),
  },
  {
    method: 'POST',
    path: '/control/accounts/:id/numbers',
    what: 'Adds a phone number',
    run: (parts, { id, body }) => showNumber(addNumber(parts, id, body as NumberSeed)),
  },
  {
    method: 'POST',
    path: '/control/accounts/:id/templates',
    what: 'Adds a template, approved unless it says otherwise',
    run: (parts, { id, body }) => showTemplate(addTemplate(parts, id, body as TemplateSeed)),
  },
  {
    method: 'POST',
    path: '/control/accounts/:id/review',
    what: 'How the next created templates are reviewed',
    run: (parts, { id, body }) => {
      planReview(parts, id, body as ReviewSeed)
      return { reviews: getAccount(parts, id).reviews }
    },
  },
  {
    method: 'POST',
    path: '/control/accounts/:id/webhook',
    what: 'Posts any webhook field now',
    run: async (parts, { id, body }) => {
      const { field, value } = webhookBody.parse(body)
      return { posts: [await tellField(parts, id, field, value)].map(showPost) }
    },
  },
  {
    method: 'POST',
    path: '/control/accounts/:id/verify-callback',
    what: 'Does the verification handshake with the callback',
    run: (parts, { id }) => verify(parts, id),
  },
  {
    method: 'PATCH',
    path: '/control/numbers/:id',
    what: 'Status, quality, throughput, limit of a number',
    run: (parts, { id, body }) => showNumber(changeNumber(parts, id, body as NumberChange)),
  },
  {
    method: 'PATCH',
    path: '/control/templates/:id',
    what: 'Status, category, quality of a template, told by webhook',
    run: (parts, { id, body }) => showTemplate(changeTemplateById(parts, id, body as TemplateChange)),
  },
  {
    method: 'GET',
    path: '/control/scripts',
    what: 'Scripts in the order in which they are tried',
    run: (parts) => ({ scripts: parts.scripts.list() }),
  },
  {
    method: 'POST',
    path: '/control/scripts',
    what: 'Adds a script',
    run: (parts, { body }) => addScript(parts, body as ScriptSeed),
  },
  {
    method: 'DELETE',
    path: '/control/scripts',
    what: 'Removes all scripts',
    run: (parts) => {
      parts.scripts.clear()
      return { scripts: [] }
    },
  },
  {
    method: 'DELETE',
    path: '/control/scripts/:id',
    what: 'Removes one script',
    run: (parts, { id }) => {
      if (!parts.scripts.remove(id)) throw new ControlError(`there is no script ${id}; it may be used up`, 404)
      return { removed: id }
    },
  },
  {
    method: 'GET',
    path: '/control/customers',
    what: 'Customers in the order in which they are tried, with what they could not do; then the named ones',
    run: (parts) => ({ customers: parts.customers.list(), named: parts.customers.named() }),
  },
  {
    method: 'POST',
    path: '/control/customers',
    what: 'Puts a customer behind a phone: one of the table, or steps',
    run: (parts, { body }) => {
      const { match, plays } = customerSchema.parse(body)
      return addCustomer(parts, match, plays)
    },
  },
  {
    method: 'DELETE',
    path: '/control/customers',
    what: 'Removes all customers and what they are about to do',
    run: (parts) => {
      clearCustomers(parts)
      return { customers: [] }
    },
  },
  {
    method: 'DELETE',
    path: '/control/customers/:id',
    what: 'Removes one customer and what it is about to do',
    run: (parts, { id }) => {
      if (!removeCustomer(parts, id)) throw new ControlError(`there is no customer ${id}; it may be used up`, 404)
      return { removed: id }
    },
  },
  {
    method: 'GET',
    path: '/control/conversations',
    what: 'Chats with both sides in order, latest chat first: ?phone= ?number= ?limit=',
    run: (parts, { query }) => listChats(parts, query),
  },
  {
    method: 'GET',
    path: '/control/messages',
    what: 'Messages on the phones, latest first: ?to= ?from= ?template= ?callbackData= ?id= ?limit=',
    run: (parts, { query }) => listMessages(parts, query),
  },
  {
    method: 'POST',
    path: '/control/statuses',
    what: 'Posts statuses of a message now',
    run: async (parts, { body }) => {
      const { message, statuses } = statusesBody.parse(body)
      return { posts: (await report(parts, message, statuses)).map(showPost) }
    },
  },
  {
    method: 'POST',
    path: '/control/inbound',
    what: 'A customer writes, taps or chooses, now or later, once more too',
    run: async (parts, { body }) => {
      const { id, posts } = await receive(parts, body as InboundSeed)
      return { id, posts: posts.map(showPost) }
    },
  },
  {
    method: 'GET',
    path: '/control/inbound',
    what: 'What customers wrote, and what the business marked as read',
    run: (parts) => ({ inbound: parts.inbox.list().toReversed() }),
  },
  {
    method: 'POST',
    path: '/control/phones',
    what: 'Turns a phone off or on, blocks a business number, hides what was read, gives it a name or a username',
    run: (parts, { body }) => setPhone(parts, body as PhoneChange),
  },
  {
    method: 'POST',
    path: '/control/read',
    what: 'The customer opens the chat: what has come is read',
    run: (parts, { body }) => ({ lookedAt: look(parts, body as Pair) }),
  },
  {
    method: 'GET',
    path: '/control/live',
    what: 'Server-sent events: first all chats, then each change: ?number= for some business numbers',
    streams: true,
    run: (parts, { query, reply }) => openStream(parts, query, reply),
  },
  {
    method: 'GET',
    path: '/control/clock',
    what: 'The twin’s time, what is due in a chat (?phone= ?number=), and of each kind the next elsewhere',
    run: (parts, { query }) => tellDue(parts, query),
  },
  {
    method: 'POST',
    path: '/control/clock',
    what: 'Moves the time forward by a span or to an instant; what falls due on the way happens first',
    run: (parts, { body }) => moveClock(parts, body as MoveSeed),
  },
  {
    method: 'GET',
    path: '/control/webhooks',
    what: 'The latest webhook posts with their answers',
    run: (parts) => ({ posts: parts.outbox.posts().toReversed() }),
  },
  {
    method: 'POST',
    path: '/control/pause',
    what: 'Holds webhooks back',
    run: (parts) => {
      parts.outbox.pause()
      return { paused: true }
    },
  },
  {
    method: 'POST',
    path: '/control/resume',
    what: 'Posts what was held back',
    run: (parts) => {
      parts.outbox.resume()
      return { paused: false }
    },
  },
  {
    method: 'POST',
    path: '/control/reset',
    what: 'Forgets messages, scripts, windows, limits and what is scheduled',
    run: (parts) => {
      reset(parts)
      return { reset: true }
    },
  },
  { method: 'GET', path: '/control/metrics', what: 'Counts', run: (parts) => metricsOf(parts) },
  {
    method: 'GET',
    path: '/control/limits',
    what: 'Every limit, Meta’s and the twin’s own',
    run: () => ({ meta: META_LIMITS, twin: TWIN_LIMITS }),
  },
]

/** Adds the control API. Its errors are its own: `{"error":{"message","faults"}}`. */
export async function addControl(server: FastifyInstance, parts: Parts): Promise<void> {
  await server.register((scope, _options, done) => {
    scope.setErrorHandler((fault: Error & { statusCode?: number }, _request, reply) => {
      const { status, body } = controlFault(fault)
      return reply.code(status).send(body)
    })
    // `curl -d` calls everything a form: here a body is JSON whatever its content type says.
    scope.removeContentTypeParser('application/x-www-form-urlencoded')
    for (const { method, path, run } of controlRoutes) {
      scope.route<{ Params: { id?: string }; Querystring: Record<string, unknown> }>({
        method,
        url: path,
        onRequest: refuseOtherPages,
        handler: async ({ params, query, body }, reply) =>
          await run(parts, { id: params.id ?? '', query, body: body ?? {}, reply }),
      })
    }
    done()
  })
}

/** Without numbers: of all, with the webhooks. */
function openStream(parts: Parts, query: Record<string, unknown>, reply: FastifyReply): FastifyReply {
  const { number } = liveQuery.parse(query)
  if (parts.live.isFull) throw new ControlError(`there are ${TWIN_LIMITS.liveStreams} streams already; end one`, 503)
  const names = number === undefined ? undefined : [number].flat()
  const numbers = names && new Set(names.map((name) => findNumber(parts, name)?.number.id ?? name))
  reply.hijack()
  parts.live.open(parts, { numbers, response: reply.raw })
  return reply
}

function listMessages(parts: Parts, query: Record<string, unknown>) {
  const { id, limit, ...given } = messageQuery.parse(query)
  const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as MessageFilter
  const messages = parts.messages.list(filter).filter((message) => id === undefined || message.id === id)
  return { messages: messages.slice(-limit).toReversed().map(showMessage) }
}

function listChats(parts: Parts, query: Record<string, unknown>) {
  const { limit, ...filter } = conversationQuery.parse(query)
  const conversations = listConversations(parts, filter).slice(0, TWIN_LIMITS.conversationsShown)
  return { conversations: conversations.map((conversation) => showConversation(conversation, limit)) }
}

function tellDue(parts: Parts, query: Record<string, unknown>): DueAnswer {
  const { phone, number } = dueQuery.parse(query)
  const pair = phone === undefined || number === undefined ? undefined : pairOf(parts, { phone, number })
  return { ...timeOf(parts), ...listDue(parts, pair) }
}

async function verify(parts: Parts, accountId: string) {
  const { overrideCallbackUrl, callbackUrl, verifyToken } = getAccount(parts, accountId)
  const url = overrideCallbackUrl ?? callbackUrl
  if (url === undefined) throw new ControlError('the account has no callbackUrl; PATCH /control/accounts/:id sets it')
  const fault = await verifyCallback(url, verifyToken)
  if (fault !== undefined) throw new ControlError(fault, 422)
  return { verified: url }
}

type Faults = { message: string; faults?: { path: string; message: string }[] }

function controlFault(fault: Error & { statusCode?: number }): { status: number; body: { error: Faults } } {
  if (fault instanceof z.ZodError) {
    const faults = fault.issues.flatMap((issue) => readIssue(issue))
    return {
      status: 400,
      body: { error: { message: 'the request is not right; see faults, and README.md for the forms', faults } },
    }
  }
  if (fault instanceof ControlError) return { status: fault.httpStatus, body: { error: { message: fault.message } } }
  const known = fault instanceof GraphError || (fault.statusCode ?? 500) < 500
  const message = known
    ? `${fault.message}: the body must be JSON of at most ${TWIN_LIMITS.requestBytes} bytes`
    : `a fault of the twin: ${fault.message}`
  return { status: known ? 400 : 500, body: { error: { message } } }
}

/** Of a choice between forms, the faults within the form that was meant: the one that was understood deepest. */
function readIssue(issue: z.core.$ZodIssue, within: readonly PropertyKey[] = []): { path: string; message: string }[] {
  const path = [...within, ...issue.path]
  const meant = issue.code === 'invalid_union' ? issue.errors.find((form) => form.some(isInside)) : undefined
  if (meant !== undefined) return meant.flatMap((inner) => readIssue(inner, path))
  return [{ path: path.join('.'), message: issue.message }]
}

function isInside(issue: z.core.$ZodIssue): boolean {
  return issue.path.length > 0 || issue.code === 'custom' || issue.code === 'unrecognized_keys'
}
