import { TRPCError } from '@trpc/server'
import { z } from 'zod'
import type { Sql } from '../db.ts'
import { type EventType, eventTypes } from '../events/event-types.ts'
import type { Parts } from '../parts.ts'
import type { EndpointStatus } from '../webhooks/claim.ts'
import {
  type Endpoint,
  type EndpointId,
  ENDPOINTS_PER_WORKSPACE,
  URL_LENGTH_MOST,
  addEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  pauseEndpoint,
  pingEndpoint,
  resumeEndpoint,
  rotateSecret,
} from '../webhooks/endpoints.ts'
import { deliveryStatuses, findLastFailure, findWholeDelivery, listDeliveries } from '../webhooks/log.ts'
import {
  type ResendFilter,
  countMissed,
  countResendable,
  resendBatch,
  resendDelivery,
  resendable,
} from '../webhooks/resend.ts'
import { COUNTED_MOST, findStanding, listStandings } from '../webhooks/standing.ts'
import { type Actor, audit } from './audit.ts'
import { changing, missing, reading, router } from './trpc.ts'

const endpointId = z.uuid('is not the id of an endpoint')
const deliveryId = z.uuid('is not the id of a delivery')
const type = z.enum(Object.keys(eventTypes) as [EventType, ...EventType[]], 'is not a type of event').optional()
const instant = z.iso
  .datetime({ offset: true, error: 'must be a time with its zone' })
  .transform((text) => new Date(text))
const named = z.object({ endpointId })

const rangeIsForward = ({ from, to }: { from?: Date | undefined; to?: Date | undefined }): boolean =>
  !from || !to || from < to
const RANGE_FAULT = { message: 'must be later than the beginning', path: ['to'] }

const chosen = z
  .object({
    endpointId,
    statuses: z
      .array(z.enum(resendable))
      .min(1, 'choose at least one')
      .max(resendable.length)
      .transform((each) => [...new Set(each)]),
    type,
    from: instant.optional(),
    to: instant.optional(),
  })
  .refine(rangeIsForward, RANGE_FAULT)

const shown = z
  .object({
    endpointId,
    status: z.enum(deliveryStatuses).optional(),
    type,
    from: instant.optional(),
    to: instant.optional(),
    about: z.uuid('must be the complete id of an event (webhook-id), a message or a confirmation').optional(),
    cursor: z.uuid().optional(),
  })
  .refine(rangeIsForward, RANGE_FAULT)

export const endpoints = router({
  /** Every endpoint and how it fares. */
  list: reading.query(async ({ ctx: { parts, figures }, input: { workspaceId } }) => {
    const [all, standings] = await Promise.all([
      listEndpoints(parts.db, workspaceId),
      listStandings(figures, workspaceId),
    ])
    const standingOf = new Map(standings.map((standing) => [standing.endpointId, standing]))
    return {
      most: ENDPOINTS_PER_WORKSPACE,
      countedMost: COUNTED_MOST,
      endpoints: all.map((endpoint) => ({ ...endpoint, standing: standingOf.get(endpoint.endpointId) ?? null })),
    }
  }),

  find: reading.input(named).query(async ({ ctx: { parts, figures }, input }) => ({
    ...(await mustFind(parts.db, input)),
    standing: (await findStanding(figures, input)) ?? null,
    countedMost: COUNTED_MOST,
    lastFailure: (await findLastFailure(figures, input)) ?? null,
  })),

  /** The secret is in this answer and nowhere else. */
  add: changing
    .input(
      z.object({
        url: z
          .string()
          .trim()
          .min(1, 'Give the address that webhooks are sent to, such as https://example.com/path.')
          .max(URL_LENGTH_MOST, `The URL is longer than ${URL_LENGTH_MOST} characters.`),
      }),
    )
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, url } }) =>
      addEndpoint(parts, { workspaceId, url }, (tx, added) =>
        audit(
          tx,
          { actor, at: parts.clock.now() },
          { workspaceId, action: 'endpoint.added', target: added.endpointId, after: { url: added.url } },
        ),
      ),
    ),

  pause: changing.input(named).mutation(async ({ ctx: { parts, actor }, input }) => {
    await mustBe(parts.db, input, ['enabled'])
    await pauseEndpoint(parts, input, noted(parts, actor, { ...input, action: 'endpoint.paused' }))
  }),

  /** Lets new events through again, after a pause or when failures disabled the endpoint. What was held stays held. */
  enable: changing.input(named).mutation(async ({ ctx: { parts, actor }, input }) => {
    const { status, statusReason, failingSince } = await mustBe(parts.db, input, ['paused', 'disabled'])
    const before = { status, reason: statusReason, failingSince }
    if (status === 'paused') {
      await resumeEndpoint(parts, input, noted(parts, actor, { ...input, action: 'endpoint.resumed', before }))
    } else {
      await enableEndpoint(parts, input, noted(parts, actor, { ...input, action: 'endpoint.enabled', before }))
    }
  }),

  /** The new secret is in this answer and nowhere else. */
  rotate: changing.input(named).mutation(async ({ ctx: { parts, actor }, input }) => {
    await mustFind(parts.db, input)
    return parts.db.transaction(async (tx) => {
      const rotated = await rotateSecret({ ...parts, db: tx }, input)
      const after = { previousSecretUntil: rotated.previousSecretUntil }
      await noted(parts, actor, { ...input, action: 'endpoint.secret_rotated', after })(tx)
      return rotated
    })
  }),

  /** Sends a test event. Its delivery tells what comes of it. */
  ping: changing.input(named).mutation(async ({ ctx: { parts, actor }, input }) => {
    await mustBe(parts.db, input, ['enabled'])
    return pingEndpoint(parts, input, noted(parts, actor, { ...input, action: 'endpoint.pinged' }))
  }),

  deliveries: reading.input(shown).query(async ({ ctx: { parts, figures }, input: { cursor, ...filter } }) => {
    await mustFind(parts.db, filter)
    return listDeliveries(figures, { ...filter, before: cursor })
  }),

  delivery: reading.input(z.object({ endpointId, deliveryId })).query(async ({ ctx: { parts }, input }) => {
    const delivery = await findWholeDelivery(parts.db, input)
    if (!delivery) throw missing('delivery')
    return delivery
  }),

  /** Sends one once more, whatever came of it; one that waits for its next attempt is attempted now. */
  resend: changing
    .input(z.object({ endpointId, deliveryId }))
    .mutation(async ({ ctx: { parts, actor }, input: { workspaceId, endpointId, deliveryId } }) => {
      const delivery = await findWholeDelivery(parts.db, { workspaceId, endpointId, deliveryId })
      if (!delivery) throw missing('delivery')
      await mustBe(parts.db, { workspaceId, endpointId }, ['enabled'])
      await parts.db.transaction(async (tx) => {
        await resendDelivery({ ...parts, db: tx, wake: () => {} }, { workspaceId, deliveryId })
        const { eventId, status } = delivery
        const change = { workspaceId, endpointId, action: 'endpoint.resent_one', before: { eventId, status } }
        await noted(parts, actor, change)(tx)
      })
      parts.wake('deliver')
    }),

  /** What catching up would send, whatever the status of the endpoint; `at` begins the run. */
  missed: reading.input(named).query(async ({ ctx: { parts, figures }, input }) => {
    await mustFind(parts.db, input)
    const at = parts.clock.now()
    return { at, ...(await countMissed(figures, input)) }
  }),

  /** How many the choice would send; `at` begins the run. */
  countChosen: reading.input(chosen).query(async ({ ctx: { parts, figures }, input }) => {
    await mustBe(parts.db, input, ['enabled'])
    const at = parts.clock.now()
    return { at, total: await countResendable({ db: figures, clock: { now: () => at } }, filterOf(input)) }
  }),

  /** One batch of a run: the page asks for the next until there is no more, shows how far it is, and can stop. */
  resendChosen: changing
    .input(chosen.safeExtend({ at: instant }))
    .mutation(async ({ ctx: { parts, actor }, input: { at, ...choice } }) => {
      await mustBe(parts.db, choice, ['enabled'])
      const now = parts.clock.now()
      const startedAt = at < now ? at : now
      const filter = filterOf(choice)
      const batch = await parts.db.transaction(async (tx) => {
        const done = await resendBatch({ db: tx, clock: parts.clock }, { ...filter, startedAt })
        const { statuses, type, from, to } = filter
        const after = { resent: done.resent, statuses, type, from, to }
        const { workspaceId, endpointId } = choice
        if (done.resent > 0)
          await noted(parts, actor, { workspaceId, endpointId, action: 'endpoint.resent', after })(tx)
        return done
      })
      parts.wake('deliver')
      return batch
    }),
})

type Choice = EndpointId & z.output<typeof chosen>

const filterOf = ({ workspaceId, endpointId, statuses, type, from, to }: Choice): ResendFilter => ({
  workspaceId,
  endpointId,
  statuses,
  ...(type && { type }),
  ...(from && { from }),
  ...(to && { to }),
})

async function mustFind(sql: Sql, { workspaceId, endpointId }: EndpointId): Promise<Endpoint> {
  const endpoint = await findEndpoint(sql, { workspaceId, endpointId })
  if (!endpoint) throw missing('endpoint')
  return endpoint
}

const INSTEAD: Record<EndpointStatus, string> = {
  enabled: 'The endpoint is enabled already. Somebody else may have changed it: look at it again.',
  paused: 'The endpoint is paused. Resume it first.',
  disabled: 'The endpoint is disabled because it failed. Enable it again first.',
}

/** The domain's own refusals name commands; here there are buttons. */
async function mustBe(sql: Sql, id: EndpointId, statuses: readonly EndpointStatus[]): Promise<Endpoint> {
  const endpoint = await mustFind(sql, id)
  if (statuses.includes(endpoint.status)) return endpoint
  throw new TRPCError({ code: 'CONFLICT', message: INSTEAD[endpoint.status] })
}

type Noted = EndpointId & { action: string; before?: object; after?: object }

const noted =
  ({ clock }: Pick<Parts, 'clock'>, actor: Actor, { workspaceId, endpointId, action, before, after }: Noted) =>
  (tx: Sql): Promise<void> =>
    audit(
      tx,
      { actor, at: clock.now() },
      { workspaceId, action, target: endpointId, ...(before && { before }), ...(after && { after }) },
    )
