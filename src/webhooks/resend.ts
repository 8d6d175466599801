import { type Sql, statement } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import { UserError } from '../lib/errors.ts'
import type { EndpointStatus } from './delivery/claim.ts'
import { STEPS_MS } from './delivery/schedule.ts'
import { rejectUnlessEnabled } from './endpoint-status.ts'
import { type EndpointId, findDelivery, getEndpoint } from './endpoints.ts'
import type { EventType } from '../events/event-types.ts'

type SqlParts = Pick<Parts, 'clock'> & { db: Sql }

/**
 * Sends one event to one endpoint again, whatever its status: the schedule starts from the beginning, and the `webhook-id`
 * stays the same, so that a receiver recognizes a repeat. After the commit the caller wakes `deliver`.
 */
export async function resendDelivery(
  { db, clock }: SqlParts,
  { workspaceId, deliveryId }: { workspaceId: string; deliveryId: string },
): Promise<void> {
  const delivery = await db.row(restart, [workspaceId, deliveryId, clock.now()])
  if (!delivery) throw new UserError({ code: 'webhooks.no_delivery', deliveryId }, 'NOT_FOUND')
  if (!delivery.hasBody) throw new UserError({ code: 'webhooks.body_removed' })
  rejectUnlessEnabled(delivery, 'webhooks.not_enabled')
}

/** The delivery of an event, by the `webhook-id` that receivers see. Throws UserError, also for an endpoint that is not enabled. */
export async function getDeliveryOfEvent(db: Sql, event: EndpointId & { eventId: string }): Promise<string> {
  const { endpointId, eventId } = event
  rejectUnlessEnabled(await getEndpoint(db, event), 'webhooks.not_enabled')
  const deliveryId = await findDelivery(db, event)
  if (!deliveryId) throw new UserError({ code: 'webhooks.no_delivery_of_event', endpointId, eventId }, 'NOT_FOUND')
  return deliveryId
}

const setRestarted = (now: string): string =>
  `set status = 'pending', step = 0, due_at = ${now}, lease = null, ended_at = null,
     scheduled_at = null, early_at = null, early_attempts = 0`

/**
 * Returns the endpoint's status; the delivery is changed only when that is `enabled` and the event has its body. The lock keeps
 * the body until the delivery is pending (src/operations/lifecycle/retention/content.ts).
 */
const restart = statement<{ status: EndpointStatus; endpointId: string; hasBody: boolean }>(
  'resend_delivery',
  `with chosen as (
     select delivery.id, delivery.endpoint_id, endpoint.status, event.body <> '' as has_body from webhook_deliveries delivery
     join webhook_endpoints endpoint
       on endpoint.id = delivery.endpoint_id and endpoint.workspace_id = delivery.workspace_id
     cross join lateral (
       select body from events
       where workspace_id = delivery.workspace_id and id = delivery.event_id limit 1 for share) event
     where delivery.workspace_id = $1 and delivery.id = $2 and endpoint.deleted_at is null
   ),
   restarted as (
     update webhook_deliveries delivery ${setRestarted('$3')}
     from chosen where delivery.workspace_id = $1 and delivery.id = chosen.id and chosen.status = 'enabled' and has_body
   )
   select status, endpoint_id as "endpointId", has_body as "hasBody" from chosen`,
)

/** Chooses deliveries by their events. */
export type EventFilter = {
  type?: EventType | undefined
  /** Recorded at this time or later. */
  from?: Date | undefined
  /** Recorded before this time. */
  to?: Date | undefined
}

/** End states of a delivery that can be sent again in bulk. */
export const resendable = ['failed', 'held', 'succeeded'] as const
type Resendable = (typeof resendable)[number]

/** The default of a filter. */
export const UNDELIVERED: readonly Resendable[] = ['failed', 'held']

export type ResendFilter = EventFilter & {
  workspaceId: string
  /** Default: all enabled endpoints of the workspace. */
  endpointId?: string
  statuses?: readonly Resendable[] | undefined
}

/** In one statement, so that its locks are short. */
const MAX_BATCH = 1_000

/** How many deliveries a run of `resendBatch` would send again now. */
export async function countResendable({ db, clock }: SqlParts, filter: ResendFilter): Promise<number> {
  await checkEndpoint(db, filter)
  let total = 0
  for (const status of filter.statuses ?? UNDELIVERED)
    total += (await db.row(byStatus[status].count, criteria(filter, clock.now())))?.total ?? 0
  return total
}

type ResendRun = ResendFilter & {
  /** The same for all batches of a run. Deliveries that ended later are not resent. */
  startedAt: Date
}

/** Resends the next batch, each in a transaction of its own. After the commit the caller wakes `deliver`. */
export async function resendBatch(
  { db, clock }: SqlParts,
  { startedAt, ...filter }: ResendRun,
): Promise<{ resent: number; more: boolean }> {
  await checkEndpoint(db, filter)
  let resent = 0
  for (const status of filter.statuses ?? UNDELIVERED) {
    const values = [...criteria(filter, startedAt), MAX_BATCH - resent, clock.now()]
    resent += (await db.rows(byStatus[status].restart, values)).length
    if (resent === MAX_BATCH) return { resent, more: true }
  }
  return { resent, more: false }
}

/** Exactly what `resendBatch` resends without further conditions, whatever the endpoint's status. */
type MissedCount = {
  held: number
  failed: number
  /** When the oldest one was recorded. */
  oldestAt: Date | null
}

export async function countMissed(db: Sql, { workspaceId, endpointId }: EndpointId): Promise<MissedCount> {
  const missed = await db.row(selectMissed, [workspaceId, endpointId])
  return missed ?? { held: 0, failed: 0, oldestAt: null }
}

/** Not `exists`, which a plan made for a small table answers by reading all of it. */
const HAS_BODY = `(
       select body <> '' from events where id = delivery.event_id and workspace_id = delivery.workspace_id limit 1)`

/**
 * For counts: an endpoint may have a million of them. In the first 30 days only an erasure removes bodies (src/lib/config.ts). It ends
 * deliveries as failed before their last step; succeeded ones stay, and are counted.
 */
const MAY_HAVE_BODY = `(delivery.created_at > now() - interval '30 days' and (delivery.status <> 'failed' or delivery.step = ${STEPS_MS.length - 1})
       or ${HAS_BODY})`

const selectMissed = statement<MissedCount>(
  'count_missed_deliveries',
  `select count(*) filter (where status = 'held') as held, count(*) filter (where status = 'failed') as failed,
     min(created_at) as "oldestAt"
   from webhook_deliveries delivery
   where workspace_id = $1 and endpoint_id = $2 and status in ('failed', 'held') and ${MAY_HAVE_BODY}`,
)

async function checkEndpoint(db: Sql, { workspaceId, endpointId }: ResendFilter): Promise<void> {
  if (endpointId !== undefined)
    rejectUnlessEnabled(await getEndpoint(db, { workspaceId, endpointId }), 'webhooks.not_enabled')
}

const criteria = ({ workspaceId, endpointId, type, from, to }: ResendFilter, startedAt: Date) => [
  workspaceId,
  endpointId,
  from,
  to,
  startedAt,
  type,
]

/**
 * The status is a literal, so that PostgreSQL uses the partial index of undelivered ones. Only a filter by type reads the
 * events. Deliveries that ended after the start are left out: otherwise a run of succeeded ones would never end. `each` is
 * added to the query of one endpoint, so that PostgreSQL never reads the deliveries of other workspaces for it.
 */
const matching = (status: Resendable, hasBody: string, each: string): string =>
  `from webhook_endpoints endpoint
   cross join lateral (
     select delivery.id, delivery.workspace_id, delivery.event_id from webhook_deliveries delivery
     where delivery.endpoint_id = endpoint.id and delivery.workspace_id = endpoint.workspace_id
       and delivery.created_at >= coalesce($3, '-infinity'::timestamptz)
       and delivery.created_at < coalesce($4, 'infinity'::timestamptz)
       and delivery.status = '${status}' and (delivery.ended_at is null or delivery.ended_at < $5)
       and ${hasBody}
       and ($6::text is null or $6 = (
         select type from events where id = delivery.event_id and workspace_id = delivery.workspace_id))
     ${each}
   ) delivery
   where endpoint.workspace_id = $1 and endpoint.status = 'enabled' and endpoint.id = coalesce($2, endpoint.id)`

const statementsOf = (status: Resendable) => ({
  count: statement<{ total: number }>(
    `count_resendable_${status}`,
    `select count(*) as total ${matching(status, MAY_HAVE_BODY, 'offset 0')}`,
  ),
  restart: statement<{ id: string }>(
    `resend_${status}`,
    `with chosen as (
       select delivery.id from (
         select delivery.* ${matching(status, HAS_BODY, 'limit $7 for update skip locked')}
         limit $7) delivery
       cross join lateral (
         select from events
         where workspace_id = delivery.workspace_id and id = delivery.event_id and body <> '' limit 1 for share) event)
     update webhook_deliveries ${setRestarted('$8')}
     where workspace_id = $1 and id = any (array (select id from chosen))
     returning id`,
  ),
})

const byStatus: Record<Resendable, ReturnType<typeof statementsOf>> = {
  failed: statementsOf('failed'),
  held: statementsOf('held'),
  succeeded: statementsOf('succeeded'),
}
