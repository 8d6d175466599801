import { later } from '../../lib/clock.ts'
import { type Db, type Sql, type Statement, batch, changes, statement } from '../../lib/db/pool.ts'
import type { DueItem } from '../../runtime/jobs/batch-loop.ts'
import { awaitsDelivery } from '../status.ts'
import type { MessageRow } from '../subscribers.ts'
import { afterEarlierEvents, lockMessages } from './apply.ts'

type UndeliveredMessage = { message: MessageRow; event: 'message.undelivered'; eventAt: Date; ignored: null }

/**
 * Decides about messages whose time for a delivery has passed, in the caller's transaction. Returns those that need
 * `message.undelivered`, as they are afterwards: each of them once. Their submission goes on, and a later report still counts.
 */
export async function findUndelivered(tx: Sql, due: readonly DueItem[], now: Date): Promise<UndeliveredMessage[]> {
  const rows = await lockMessages(tx, due)
  const undelivered = rows.flatMap((row) => toUndelivered(row, later(now, row.clock_offset_ms)) ?? [])
  const decided = new Map(undelivered.map(({ message }) => [message.id, message]))
  const written = rows.map(
    ({ id, undelivered_event_at, undelivered_input, inputs }) =>
      decided.get(id) ?? { id, undelivered_event_at, undelivered_input, inputs },
  )
  await tx.rows(write, [changes(written)])
  return undelivered
}

/** Returns undefined if the message is delivered or failed, or had the event. Pure: "verify" derives the row with it. */
export function toUndelivered(row: MessageRow, at: Date): UndeliveredMessage | undefined {
  if (!awaitsDelivery(row.status) || row.undelivered_event_at) return undefined
  const eventAt = afterEarlierEvents(row, at)
  const inputs = row.inputs + 1
  return {
    message: { ...row, undelivered_event_at: eventAt, undelivered_input: inputs, deliver_by: null, inputs },
    event: 'message.undelivered',
    eventAt,
    ignored: null,
  }
}

/** Whether a report that was stored in time still waits: it decides first. */
const HAS_REPORT = `(select 1 from provider_reports r
     where r.workspace_id = m.workspace_id and r.message_id = m.id and r.outcome = 'waiting' limit 1) is not null`

export const takeUndelivered = (tx: Sql, now: Date, limit: number): Promise<DueItem[]> => tx.rows(take, [now, limit])

const take: Statement<DueItem> = statement(
  'take_undelivered_messages',
  `select m.id, m.workspace_id, m.deliver_tries as tries from messages m
   where m.deliver_by <= $1 and not ${HAS_REPORT} order by m.deliver_by limit $2 for no key update of m skip locked`,
)

export const retakeUndelivered = (tx: Sql, { id, workspace_id }: DueItem, now: Date): Promise<DueItem[]> =>
  tx.rows(retake, [workspace_id, id, now])

const retake: Statement<DueItem> = statement(
  'retake_undelivered_message',
  `select m.id, m.workspace_id, m.deliver_tries as tries from messages m
   where m.workspace_id = $1 and m.id = $2 and m.deliver_by <= $3 and not ${HAS_REPORT} for no key update of m skip locked`,
)

const write = statement(
  'write_undelivered_messages',
  // by id only: lockMessages has just read these rows by workspace_id and id
  `update messages m
   set (undelivered_event_at, undelivered_input, inputs, deliver_by, deliver_tries) = (
     select r.undelivered_event_at, r.undelivered_input, r.inputs, null::timestamptz, 0
     from jsonb_to_record($1::jsonb -> m.id::text) as r (undelivered_event_at timestamptz, undelivered_input integer,
       inputs integer))
   where m.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

/** Counts a fault unless the message has changed. */
export const postponeUndelivered = (
  db: Db,
  { id, workspace_id, tries: earlier }: DueItem,
  { tries, retryAt }: { tries: number; retryAt: Date },
): Promise<{ id: string }[]> => db.rows(postpone, [workspace_id, id, earlier, tries, retryAt])

const postpone: Statement<{ id: string }> = statement(
  'postpone_undelivered_message',
  `update messages set deliver_tries = $4, deliver_by = $5
   where workspace_id = $1 and id = $2 and deliver_tries = $3 and deliver_by is not null returning id`,
)

/** Messages that may have sent the code of one verification: the first one and its resends (src/otp/verifications/limits.ts), and some to spare. */
const MAX_OF_VERIFICATION = 20

/** These verifications are over: another channel could not verify their codes. */
export const stopAwaitingDelivery = async (
  tx: Sql,
  verifications: readonly { workspaceId: string; id: string }[],
): Promise<void> =>
  void (await tx.rows(stopAwaiting, [
    batch(verifications.map(({ workspaceId, id }) => ({ workspace_id: workspaceId, id }))),
  ]))

/** Locks in the order of `inLockOrder`. */
const stopAwaiting = statement(
  'stop_awaiting_delivery',
  `with awaiting as materialized (
     select locked.id from (
       select sent.id from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
       cross join lateral (
         (select id, deliver_by from messages where workspace_id = r.workspace_id and id = r.id limit 1)
         union all
         (select id, deliver_by from messages
          where workspace_id = r.workspace_id and verification_id = r.id limit ${MAX_OF_VERIFICATION})) sent
       where sent.deliver_by is not null order by sent.id) sent
     cross join lateral (select id from messages where id = sent.id limit 1 for no key update) locked
   )
   update messages set deliver_by = null where id = any (array (select id from awaiting))`,
)
