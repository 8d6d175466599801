import { experimental_standaloneMiddleware } from '@trpc/server'
import { z } from 'zod'
import type { Sql } from '../lib/db/pool.ts'
import { isUuid } from '../lib/ids.ts'
import { transactionWithEvents } from '../events/record.ts'
import { type EventType, chosenEventTypes, eventTypes } from '../events/event-types.ts'
import { asIssue, plainText } from '../../locales/text.ts'
import { type EndpointStatus, DELIVERY_STATUSES } from '../webhooks/delivery/claim.ts'
import {
  type EndpointId,
  MAX_ENDPOINTS,
  addEndpoint,
  deleteEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  pauseEndpoint,
  pingEndpoint,
  resumeEndpoint,
  rotateSecret,
} from '../webhooks/endpoints.ts'
import { holdBacklog } from '../webhooks/endpoint-status.ts'
import { type Subjects, findLastFailure, findDeliveryDetails, listDeliveries } from '../webhooks/log.ts'
import { countMissed, countResendable, resendBatch, resendDelivery, resendable } from '../webhooks/resend.ts'
import { beginRetry, countWaiting, endPauses } from '../webhooks/retry.ts'
import {
  BAD_DESCRIPTION,
  MAX_DESCRIPTION_LENGTH,
  MAX_URL_LENGTH,
  URL_TOO_LONG,
  checkNewSettings,
} from '../webhooks/settings.ts'
import { checkUpdate, updateEndpoint } from '../webhooks/update.ts'
import { MAX_COUNTED, findEndpointHealth, listEndpointHealth } from '../webhooks/delivery/endpoint-health.ts'
import { partOf } from '../lib/lists/search-part.ts'
import { phonesMatching } from '../lib/lists/searched-phones.ts'
import { trimmedText } from './inputs.ts'
import { listOwnPhones, pageOf } from './lists.ts'
import { CallError, found } from './rpc/errors.ts'
import type { Parts } from '../runtime/parts.ts'
import { inTransaction, readCall, router, writeCall } from './rpc/trpc.ts'

const endpointId = z.uuid(asIssue({ code: 'admin.endpoint_id' }))
const endpointInput = z.object({ endpointId })
const deliveryId = z.uuid(asIssue({ code: 'admin.delivery_id' }))
const type = z.enum(Object.keys(eventTypes) as [EventType, ...EventType[]], asIssue({ code: 'admin.type' })).optional()
const instant = z.iso
  .datetime({ offset: true, error: asIssue({ code: 'admin.instant' }) })
  .transform((text) => new Date(text))

const rangeIsForward = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }): boolean =>
  !from || !to || from < to
const RANGE_ISSUE = { message: asIssue({ code: 'admin.endpoints_backwards' }), path: ['to'] }

/** `from` and `to`: when the event was recorded. */
const filter = { type, from: instant.optional(), to: instant.optional() }

const resendInput = z
  .object({
    ...filter,
    statuses: z
      .array(z.enum(resendable))
      .min(1, asIssue({ code: 'admin.none_chosen' }))
      .max(resendable.length)
      .transform((statuses) => [...new Set(statuses)]),
  })
  .refine(rangeIsForward, RANGE_ISSUE)

const logInput = z
  .object({
    ...filter,
    status: z.enum(DELIVERY_STATUSES).optional(),
    /** An id of an event, a message or a confirmation, a reference, or a phone number in any common form; or a part of one. */
    about: trimmedText(200).optional(),
    cursor: z.uuid().optional(),
  })
  .refine(rangeIsForward, RANGE_ISSUE)

const settings = {
  url: z
    .string()
    .trim()
    .min(1, asIssue({ code: 'admin.no_url', example: 'https://example.com/path' }))
    .max(MAX_URL_LENGTH, asIssue(URL_TOO_LONG)),
  /** A code point has at most two characters. */
  description: z
    .string()
    .max(2 * MAX_DESCRIPTION_LENGTH, asIssue(BAD_DESCRIPTION))
    .optional(),
  /** Null: all. */
  eventTypes: z
    .array(z.enum(chosenEventTypes))
    .min(1, asIssue({ code: 'webhooks.no_types' }))
    .max(chosenEventTypes.length)
    .nullable()
    .optional(),
}

/** For an endpoint in one of the statuses; without any, also for one that was deleted. The domain's own errors name commands, but the dashboard has buttons. */
const endpointIn = (...statuses: EndpointStatus[]) =>
  experimental_standaloneMiddleware<{ ctx: { parts: Parts }; input: EndpointId }>().create(
    async ({ ctx, input, next }) => {
      const endpoint = found(await findEndpoint(ctx.parts.db, input), 'endpoint')
      const isReading = statuses.length === 0
      if (endpoint.deletedAt && !isReading) throw new CallError('CONFLICT', { code: 'admin.endpoint_is_deleted' })
      if (isReading || statuses.includes(endpoint.status)) return next({ ctx: { endpoint } })
      throw new CallError('CONFLICT', plainText(`admin.endpoint_is_${endpoint.status}`))
    },
  )
const readEndpoint = readCall.input(endpointInput).use(endpointIn())
const changeEndpoint = writeCall.input(endpointInput).use(endpointIn('enabled', 'paused', 'disabled'))
const changeEnabled = writeCall.input(endpointInput).use(endpointIn('enabled'))

async function subjectsOf(sql: Sql, workspaceId: string, text: string): Promise<Subjects> {
  const recipients = phonesMatching(text, await listOwnPhones(sql, workspaceId))
  return { id: isUuid(text) ? text : null, reference: text, recipients, part: partOf(text, recipients) }
}

export const endpoints = router({
  list: readCall.query(async ({ ctx: { parts, figures }, input: { workspaceId } }) => {
    const [all, healthRows] = await Promise.all([
      listEndpoints(parts.db, workspaceId),
      listEndpointHealth(figures, workspaceId),
    ])
    const healthById = new Map(healthRows.map((health) => [health.endpointId, health]))
    return {
      max: MAX_ENDPOINTS,
      allowsHttp: parts.config.allowPrivateWebhooks,
      maxCounted: MAX_COUNTED,
      endpoints: all.map((endpoint) => ({ ...endpoint, health: healthById.get(endpoint.endpointId) ?? null })),
    }
  }),

  find: readEndpoint.query(async ({ ctx: { parts, figures, endpoint }, input }) => ({
    ...endpoint,
    allowsHttp: parts.config.allowPrivateWebhooks,
    health: (await findEndpointHealth(figures, input)) ?? null,
    maxCounted: MAX_COUNTED,
    lastFailure: (await findLastFailure(figures, input)) ?? null,
  })),

  /** The only answer that holds the secret. */
  add: writeCall
    .input(z.object(settings))
    .mutation(async ({ ctx: { parts, record }, input: { workspaceId, ...input } }) => {
      const settings = await checkNewSettings(input, parts)
      return parts.db.transaction(async (tx) => {
        const added = await addEndpoint(tx, parts, { workspaceId, ...settings })
        await record(tx, { action: 'endpoint.added', target: added.endpointId, after: settings })
        return added
      })
    }),

  /** Changes what is given. */
  update: changeEndpoint.input(z.object(settings).partial()).mutation(async ({ ctx: { parts, record }, input }) => {
    const change = await checkUpdate(parts, input)
    return parts.db.transaction(async (tx) => {
      const { before, after, isChanged } = await updateEndpoint(tx, parts.clock, change)
      if (isChanged) await record(tx, { action: 'endpoint.updated', target: input.endpointId, before, after })
      return after
    })
  }),

  /** For good: `host` is what the person typed to confirm it. */
  remove: changeEndpoint
    .input(z.object({ host: z.string().trim() }))
    .mutation(async ({ ctx: { parts, endpoint, record }, input }) => {
      const { url, description, eventTypes, status } = endpoint
      const { host } = new URL(url)
      if (input.host !== host) throw new CallError('BAD_REQUEST', { code: 'admin.endpoint_host', host })
      const before = { url, description, eventTypes, status }
      await parts.db.transaction(async (tx) => {
        await deleteEndpoint(tx, parts.clock, input)
        await record(tx, { action: 'endpoint.deleted', target: input.endpointId, before })
      })
      await holdBacklog(parts.db, input)
    }),

  pause: changeEnabled.mutation(async ({ ctx: { parts, record }, input }) => {
    await parts.db.transaction(async (tx) => {
      await pauseEndpoint(tx, parts.clock, input)
      await record(tx, { action: 'endpoint.paused', target: input.endpointId })
    })
    await holdBacklog(parts.db, input)
  }),

  /** Delivers new events again after a pause or after failures. Deliveries held until now stay held. */
  enable: writeCall
    .input(endpointInput)
    .use(endpointIn('paused', 'disabled'))
    .use(inTransaction)
    .mutation(async ({ ctx: { tx, parts, endpoint, record }, input }) => {
      const { status, statusReason, failingSince } = endpoint
      const isPaused = status === 'paused'
      await (isPaused ? resumeEndpoint : enableEndpoint)(tx, parts.clock, input)
      const before = { status, reason: statusReason, failingSince }
      await record({ action: isPaused ? 'endpoint.resumed' : 'endpoint.enabled', target: input.endpointId, before })
    }),

  /** The only answer that holds the new secret. */
  rotate: changeEndpoint.use(inTransaction).mutation(async ({ ctx: { within, record }, input }) => {
    const rotated = await rotateSecret(within, input)
    const after = { previousSecretUntil: rotated.previousSecretUntil }
    await record({ action: 'endpoint.secret_rotated', target: input.endpointId, after })
    return rotated
  }),

  /** Sends a test event; its delivery shows the result. */
  ping: changeEnabled.mutation(async ({ ctx: { parts, record }, input }) => {
    const ping = await transactionWithEvents(parts, async (tx) => {
      const sent = await pingEndpoint(tx, parts.clock, input)
      await record(tx, { action: 'endpoint.pinged', target: input.endpointId })
      return sent
    })
    parts.wake('deliver')
    return ping
  }),

  deliveries: readEndpoint
    .input(logInput)
    .query(async ({ ctx: { parts, figures }, input: { cursor, about, ...filter } }) => {
      const subjects = about ? await subjectsOf(parts.db, filter.workspaceId, about) : undefined
      return pageOf(await listDeliveries(figures, { ...filter, about: subjects, before: cursor }))
    }),

  delivery: readCall
    .input(z.object({ endpointId, deliveryId }))
    .query(async ({ ctx: { parts }, input }) => found(await findDeliveryDetails(parts.db, input), 'delivery')),

  /** Sends a delivery again, whatever its status; one that waits for a retry is attempted now. */
  resend: changeEnabled
    .use(inTransaction)
    .input(z.object({ deliveryId }))
    .mutation(async ({ ctx: { within, record }, input }) => {
      const { eventId, status } = found(await findDeliveryDetails(within.db, input), 'delivery')
      await resendDelivery(within, input)
      within.wake('deliver')
      await record({ action: 'endpoint.resent_one', target: input.endpointId, before: { eventId, status } })
    }),

  /** How many deliveries `retryWaiting` would bring forward. */
  waiting: readEndpoint.query(({ ctx: { parts, figures }, input }) => countWaiting(figures, input, parts.clock.now())),

  /** Tries everything that waits for its next attempt now, at the pace of a release. */
  retryWaiting: changeEnabled.mutation(async ({ ctx: { parts, record }, input }) => {
    const waiting = await endPauses(parts, input)
    if (waiting === 0) return { waiting }
    await parts.db.transaction(async (tx) => {
      if (!(await beginRetry(tx, parts.clock, input))) return
      await record(tx, { action: 'endpoint.retried', target: input.endpointId, after: { waiting } })
    })
    return { waiting }
  }),

  /** The missed deliveries, whatever the endpoint's status. Pass `at` to `resendChosen`. */
  missed: readEndpoint.query(async ({ ctx: { parts, figures }, input }) => ({
    at: parts.clock.now(),
    ...(await countMissed(figures, input)),
  })),

  /** How many deliveries match. Pass `at` to `resendChosen`. */
  countChosen: readCall
    .input(endpointInput)
    .use(endpointIn('enabled'))
    .input(resendInput)
    .query(async ({ ctx: { parts, figures }, input }) => {
      const at = parts.clock.now()
      return { at, total: await countResendable({ db: figures, clock: { now: () => at } }, input) }
    }),

  /** Resends one batch. The page calls it until nothing is left, so it can show progress and stop. */
  resendChosen: changeEnabled
    .use(inTransaction)
    .input(resendInput.safeExtend({ at: instant }))
    .mutation(async ({ ctx: { within, record }, input: { at, ...filter } }) => {
      const now = within.clock.now()
      const batch = await resendBatch(within, { ...filter, startedAt: at < now ? at : now })
      const { statuses, type, from, to } = filter
      const after = { resent: batch.resent, statuses, type, from, to }
      if (batch.resent > 0) await record({ action: 'endpoint.resent', target: filter.endpointId, after })
      within.wake('deliver')
      return batch
    }),
})
