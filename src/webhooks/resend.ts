import { type Sql, statement } from '../db.ts'
import type { EventType } from '../events/event-types.ts'
import type { Parts } from '../parts.ts'
import { sentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import type { EndpointStatus } from './claim.ts'
import { type Alongside, commandToEnable } from './endpoint-status.ts'
import { type EndpointId, findDelivery, findEndpoint } from './endpoints.ts'

type ResendParts = Pick<Parts, 'clock' | 'wake'> & { db: Sql }

/**
 * Sends one event to one endpoint once more, whatever came of it before: the schedule starts anew and the `webhook-id`
 * stays, so that a receiver that has it already knows it.
 */
export async function resendDelivery(
  { db, clock, wake }: ResendParts,
  { workspaceId, deliveryId }: { workspaceId: string; deliveryId: string },
): Promise<void> {
  const delivery = await db.row(restart, [workspaceId, deliveryId, clock.now()])
  if (!delivery) throw new SetupRefused(says.noDelivery({ deliveryId }), 'NOT_FOUND')
  if (delivery.status !== 'enabled') throw notEnabled(delivery.status, delivery.endpointId)
  wake('deliver')
}

/**
 * As resendDelivery, by what its users know: the event's id is the `webhook-id`. `alongside` runs in the same
 * transaction.
 */
export async function resendEvent(
  { db, clock, wake }: Pick<Parts, 'db' | 'clock' | 'wake'>,
  { eventId, ...of }: EndpointId & { eventId: string },
  alongside?: Alongside,
): Promise<void> {
  await checkEndpoint(db, of)
  const deliveryId = await findDelivery(db, { eventId, ...of })
  if (!deliveryId) throw new SetupRefused(says.neverMeant({ endpointId: of.endpointId, eventId }), 'NOT_FOUND')
  await db.transaction(async (tx) => {
    await resendDelivery({ db: tx, clock, wake: () => {} }, { workspaceId: of.workspaceId, deliveryId })
    await alongside?.(tx)
  })
  wake('deliver')
}

const notEnabled = (status: Exclude<EndpointStatus, 'enabled'>, endpointId: string): SetupRefused =>
  new SetupRefused(says.notEnabled({ status, command: commandToEnable(status, endpointId) }))

const says = sentences({
  noDelivery: { en: 'There is no delivery {deliveryId}.', ar: 'لا توجد عملية تسليم {deliveryId}.' },
  neverMeant: {
    en: 'The endpoint {endpointId} was never to get an event {eventId}.',
    ar: 'لم يكن على النقطة {endpointId} أن تتلقى الحدث {eventId} أبدًا.',
  },
  notEnabled: {
    en: 'The endpoint is {status}: run {command} first, then send again.',
    ar: 'النقطة {status}: نفّذ {command} أولًا ثم أعد الإرسال.',
    words: { status: { paused: 'موقوفة مؤقتًا', disabled: 'معطّلة' } },
  },
  noEndpoint: { en: 'There is no endpoint {endpointId}.', ar: 'لا توجد نقطة {endpointId}.' },
})

/** Returns the endpoint's status; the delivery is changed only when that is `enabled`. */
const restart = statement<{ status: EndpointStatus; endpointId: string }>(
  'resend_delivery',
  `with chosen as (
     select delivery.id, delivery.endpoint_id, endpoint.status from webhook_deliveries delivery
     join webhook_endpoints endpoint
       on endpoint.id = delivery.endpoint_id and endpoint.workspace_id = delivery.workspace_id
     where delivery.workspace_id = $1 and delivery.id = $2
   ),
   restarted as (
     update webhook_deliveries delivery
     set status = 'pending', step = 0, due_at = $3, lease = null, ended_at = null
     from chosen where delivery.workspace_id = $1 and delivery.id = chosen.id and chosen.status = 'enabled'
   )
   select status, endpoint_id as "endpointId" from chosen`,
)

/** End states of a delivery that can be sent again in bulk. */
export const resendable = ['failed', 'held', 'succeeded'] as const
export type Resendable = (typeof resendable)[number]

/** What never arrived, unless succeeded ones are asked for. */
const NEVER_ARRIVED: readonly Resendable[] = ['failed', 'held']

export type ResendFilter = {
  workspaceId: string
  /** All enabled endpoints of the workspace, if not given. */
  endpointId?: string
  type?: EventType
  statuses?: readonly Resendable[]
  /** Recorded at this time or later. */
  from?: Date
  /** Recorded before this time. */
  to?: Date
}

/** Sent again in one statement: the locks of each are short. */
const RESEND_BATCH = 1_000

/** How many deliveries `resendByFilter` would send again now. */
export async function countResendable(
  { db, clock }: Pick<Parts, 'clock'> & { db: Sql },
  filter: ResendFilter,
): Promise<number> {
  await checkEndpoint(db, filter)
  let total = 0
  for (const status of filter.statuses ?? NEVER_ARRIVED)
    total += (await db.row(counts[status][kindOf(filter)], criteria(filter, clock.now())))?.total ?? 0
  return total
}

/**
 * Sends again all that the filter finds, batch by batch. Returns how many. `alongside` runs in the transaction of each
 * batch, with how many are in it.
 */
export async function resendByFilter(
  { db, clock, wake }: Pick<Parts, 'db' | 'clock' | 'wake'>,
  filter: ResendFilter,
  alongside?: (tx: Sql, resent: number) => Promise<void>,
): Promise<number> {
  const run = { ...filter, startedAt: clock.now() }
  let total = 0
  for (;;) {
    const { resent, more } = await db.transaction(async (tx) => {
      const batch = await resendBatch({ db: tx, clock }, run)
      if (batch.resent > 0) await alongside?.(tx, batch.resent)
      return batch
    })
    total += resent
    if (resent > 0) wake('deliver')
    if (!more) return total
  }
}

/** Goes on batch by batch; whoever asks for each batch can tell how far it is, and stop. */
export type ResendRun = ResendFilter & {
  /** When the run began: the same for all of its batches. What ended later is not sent once more. */
  startedAt: Date
}

/** Sends again the next of what the run finds: the caller wakes `deliver` after the commit. */
export async function resendBatch(
  { db, clock }: Pick<Parts, 'clock'> & { db: Sql },
  { startedAt, ...filter }: ResendRun,
): Promise<{ resent: number; more: boolean }> {
  await checkEndpoint(db, filter)
  let resent = 0
  for (const status of filter.statuses ?? NEVER_ARRIVED) {
    const values = [...criteria(filter, startedAt), RESEND_BATCH - resent, clock.now()]
    resent += (await db.rows(restarts[status][kindOf(filter)], values)).length
    if (resent === RESEND_BATCH) return { resent, more: true }
  }
  return { resent, more: false }
}

/** What an endpoint missed, whatever its status: exactly what `resendByFilter` without further conditions sends again. */
export type Missed = { held: number; failed: number /** When the first of it was recorded. */; oldestAt: Date | null }

export async function countMissed(db: Sql, { workspaceId, endpointId }: EndpointId): Promise<Missed> {
  const missed = await db.row(selectMissed, [workspaceId, endpointId])
  return missed ?? { held: 0, failed: 0, oldestAt: null }
}

const selectMissed = statement<Missed>(
  'count_missed_deliveries',
  `select count(*) filter (where status = 'held') as held, count(*) filter (where status = 'failed') as failed,
     min(created_at) as "oldestAt"
   from webhook_deliveries where workspace_id = $1 and endpoint_id = $2 and status in ('failed', 'held')`,
)

async function checkEndpoint(
  db: Sql,
  { workspaceId, endpointId }: Pick<ResendFilter, 'workspaceId' | 'endpointId'>,
): Promise<void> {
  if (endpointId === undefined) return
  const endpoint = await findEndpoint(db, { workspaceId, endpointId })
  if (!endpoint) throw new SetupRefused(says.noEndpoint({ endpointId }), 'NOT_FOUND')
  if (endpoint.status !== 'enabled') throw notEnabled(endpoint.status, endpointId)
}

/** Only who asks for a type looks at the events: a count over all types reads a tenth without them. */
type Kind = 'any' | 'typed'
const kindOf = ({ type }: ResendFilter): Kind => (type === undefined ? 'any' : 'typed')

const criteria = ({ workspaceId, endpointId, type, from, to }: ResendFilter, startedAt: Date) => [
  workspaceId,
  endpointId,
  from,
  to,
  startedAt,
  ...(type === undefined ? [] : [type]),
]

/**
 * The status is written out, so that the partial index on undelivered ones serves. One that ended after the start is
 * left out: otherwise what was sent again and succeeded would be found again, for ever.
 */
const found = (status: Resendable, kind: Kind): string =>
  `from webhook_endpoints endpoint
   join webhook_deliveries delivery
     on delivery.endpoint_id = endpoint.id and delivery.workspace_id = endpoint.workspace_id
   ${kind === 'typed' ? 'join events event on event.id = delivery.event_id and event.workspace_id = delivery.workspace_id and event.type = $6' : ''}
   where endpoint.workspace_id = $1 and endpoint.status = 'enabled' and endpoint.id = coalesce($2, endpoint.id)
     and delivery.created_at >= coalesce($3, '-infinity'::timestamptz)
     and delivery.created_at < coalesce($4, 'infinity'::timestamptz)
     and delivery.status = '${status}' and (delivery.ended_at is null or delivery.ended_at < $5)`

const ofBothKinds = <Made>(make: (kind: Kind) => Made): Record<Kind, Made> => ({
  any: make('any'),
  typed: make('typed'),
})

const ofEachStatus = <Made>(
  make: (status: Resendable, kind: Kind) => Made,
): Record<Resendable, Record<Kind, Made>> => ({
  failed: ofBothKinds((kind) => make('failed', kind)),
  held: ofBothKinds((kind) => make('held', kind)),
  succeeded: ofBothKinds((kind) => make('succeeded', kind)),
})

const counts = ofEachStatus((status, kind) =>
  statement<{ total: number }>(`count_resendable_${status}_${kind}`, `select count(*) as total ${found(status, kind)}`),
)

const restarts = ofEachStatus((status, kind) => {
  const [most, now] = kind === 'typed' ? ['$7', '$8'] : ['$6', '$7']
  return statement<{ id: string }>(
    `resend_${status}_${kind}`,
    `with chosen as (
       select delivery.id ${found(status, kind)}
       limit ${most}
       for update of delivery skip locked
     )
     update webhook_deliveries delivery
     set status = 'pending', step = 0, due_at = ${now}, lease = null, ended_at = null
     from chosen where delivery.workspace_id = $1 and delivery.id = chosen.id
     returning delivery.id`,
  )
})
