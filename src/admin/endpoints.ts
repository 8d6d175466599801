import { experimental_standaloneMiddleware } from '@trpc/server'
import { z } from 'zod'
import type { Sql } from '../lib/db/pool.ts'
import { isUuid } from '../lib/ids.ts'
import { plainText } from '../../locales/text.ts'
import { type EndpointStatus, DELIVERY_STATUSES } from '../webhooks/delivery/claim.ts'
import { type EndpointId, MAX_ENDPOINTS, findEndpoint, listEndpoints } from '../webhooks/endpoints.ts'
import { type Subjects, findLastFailure, findDeliveryDetails, listDeliveries } from '../explain/deliveries.ts'
import { countMissed, countResendable } from '../webhooks/resend.ts'
import { countWaiting } from '../webhooks/retry.ts'
import { MAX_COUNTED, findEndpointHealth, listEndpointHealth } from '../webhooks/delivery/endpoint-health.ts'
import { partOf } from '../lib/lists/search-part.ts'
import { phonesMatching } from '../lib/lists/searched-phones.ts'
import { perform } from './actions/action.ts'
import {
  RANGE_ISSUE,
  chosenDeliveries,
  deliveryId,
  endpointActions,
  endpointId,
  endpointInput,
  eventFilter,
  rangeIsForward,
} from './actions/endpoints.ts'
import { found } from './actions/found.ts'
import { trimmedText } from './inputs.ts'
import { listOwnPhones, pageOf } from './lists.ts'
import { CallError } from './rpc/errors.ts'
import type { Parts } from '../runtime/parts.ts'
import { callOf, callsOf, readCall, router } from './rpc/trpc.ts'

const logInput = z
  .object({
    ...eventFilter,
    status: z.enum(DELIVERY_STATUSES).optional(),
    /** An id of an event, a message or a confirmation, a reference, or a phone number in any common form; or a part of one. */
    about: trimmedText(200).optional(),
    cursor: z.uuid().optional(),
  })
  .refine(rangeIsForward, RANGE_ISSUE)

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
const ofEnabled = endpointIn('enabled')
const ofAny = endpointIn('enabled', 'paused', 'disabled')

async function subjectsOf(sql: Sql, workspaceId: string, text: string): Promise<Subjects> {
  const recipients = phonesMatching(text, await listOwnPhones(sql, workspaceId))
  return { id: isUuid(text) ? text : null, reference: text, recipients, part: partOf(text, recipients) }
}

export const endpoints = router({
  ...callsOf(endpointActions, {
    update: ofAny,
    pause: ofEnabled,
    enable: endpointIn('paused', 'disabled'),
    rotate: ofAny,
    ping: ofEnabled,
    resend: ofEnabled,
    retryWaiting: ofEnabled,
    resendChosen: ofEnabled,
  }),

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

  /** `host` is what the person typed to confirm it. */
  remove: callOf(endpointActions.remove)
    .use(ofAny)
    .input(z.object({ host: z.string().trim() }))
    .mutation(({ ctx: { operator, endpoint }, input }) => {
      const { host } = new URL(endpoint.url)
      if (input.host !== host) throw new CallError('BAD_REQUEST', { code: 'admin.endpoint_host', host })
      return perform(endpointActions.remove, operator, input)
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

  /** How many deliveries `retryWaiting` would bring forward. */
  waiting: readEndpoint.query(({ ctx: { parts, figures }, input }) => countWaiting(figures, input, parts.clock.now())),

  /** The missed deliveries, whatever the endpoint's status. Pass `at` to `resendChosen`. */
  missed: readEndpoint.query(async ({ ctx: { parts, figures }, input }) => ({
    at: parts.clock.now(),
    ...(await countMissed(figures, input)),
  })),

  /** How many deliveries match. Pass `at` to `resendChosen`. */
  countChosen: readCall
    .input(chosenDeliveries)
    .use(ofEnabled)
    .query(async ({ ctx: { parts, figures }, input }) => {
      const at = parts.clock.now()
      return { at, total: await countResendable({ db: figures, clock: { now: () => at } }, input) }
    }),
})
