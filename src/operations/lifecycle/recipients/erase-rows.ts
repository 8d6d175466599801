import { advance } from '../../../cod/conversation/advance.ts'
import { advanceByOutcomes } from '../../../cod/conversation/outcomes.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import { applyReports, ownFailure } from '../../../messages/reports/apply.ts'
import { recordOtpEvents } from '../../../otp/outcomes.ts'
import { expireVerifications } from '../../../otp/verifications/expiry-loop.ts'
import { lockVerifications } from '../../../otp/verifications/store.ts'
import { isBeingSent } from '../../columns.ts'
import { erasures } from '../rows.ts'
import { BLANK_REPORT, END_REPORT } from './reports.ts'
import { anyFormPattern } from './number-patterns.ts'
import { MAX_USER_IDS, type Person, identityPattern, rowsOfPerson } from './person.ts'

/** The limit of one transaction: a confirmation has a dozen messages and reports. */
const MAX_CONFIRMATIONS = 20
const MAX_ONE_TIME_CODES = 200

export type ErasedRows = { messages: number; confirmations: number; events: number; reports: number }

export const NO_ROWS: ErasedRows = { messages: 0, confirmations: 0, events: 0, reports: 0 }

/** A message or webhook is being sent: its outcome must be stored first. */
export class BeingSentError extends Error {}

/**
 * Erases the next confirmations with everything that belongs to them, or else the next one-time codes, in the caller's
 * transaction; rows since `startedAt` are new data. What still runs ends, and its last events already have the pseudonym.
 * Also returns the user ids in the reports. Returns undefined if nothing is left. Throws BeingSentError
 * if only rows that are being sent are left.
 */
export async function eraseRows(
  tx: Sql,
  now: Date,
  { person, pseudonym, startedAt }: { person: Person; pseudonym: string; startedAt: Date },
): Promise<{ erased: ErasedRows; userIds: string[] } | undefined> {
  const { workspaceId, phones } = person
  const before = [firstIdAt(startedAt), startedAt]
  const picked = idsOf(await tx.rows(pickConfirmations, [workspaceId, phones, now, MAX_CONFIRMATIONS, ...before]))
  const codes =
    picked.length > 0 ? [] : await tx.rows(pickCodes, [workspaceId, phones, now, MAX_ONE_TIME_CODES, ...before])
  if (picked.length + codes.length === 0) {
    if (await tx.row(findLeft, [workspaceId, phones, ...before])) throw new BeingSentError()
    return undefined
  }
  // A check of a code, which may be recording an event with the number, locks only the verification, before its messages.
  await lockVerifications(
    tx,
    idsOf(codes).map((id) => ({ workspaceId, id })),
  )
  // Messages before confirmations: the order in which reports lock them.
  const lockAll = () => tx.rows(lockMessages, [workspaceId, picked, now, idsOf(codes), phones])
  await lockAll()
  const confirmationIds = idsOf(await tx.rows(lockConfirmations, [workspaceId, picked, phones]))
  const messages = await lockAll() // a conversation may have asked a question while this waited for it
  const messageIds = idsOf(messages)
  const events = await tx.rows(lockEvents, [workspaceId, confirmationIds, messageIds])
  const deliveries = await tx.rows(lockDeliveries, [workspaceId, idsOf(events), now])
  if ([...messages, ...deliveries].some(({ isBeingSent }) => isBeingSent)) throw new BeingSentError()

  const ids = { events: idsOf(events), messages: messageIds, confirmations: confirmationIds }
  await tx.rows(endDeliveries, [workspaceId, ids.events, now])
  const identified = await tx.rows(findUserIds, [workspaceId, confirmationIds, messageIds, identityPattern(person)])
  const reports = await tx.rows(eraseReports, [workspaceId, confirmationIds, messageIds])
  const pattern = anyFormPattern(phones)
  for (const { root, erase } of erasures)
    if (ids[root].length > 0) await tx.rows(erase, [workspaceId, ids[root], pseudonym, pattern])
  await endRunning(tx, now, {
    workspaceId,
    confirmationIds,
    messageIds,
    pending: messages.filter(({ isPending }) => isPending),
  })
  const erased = {
    messages: messages.length,
    confirmations: confirmationIds.length,
    events: events.length,
    reports: reports.length,
  }
  return { erased, userIds: identified.map(({ userId }) => userId) }
}

type Running = {
  workspaceId: string
  confirmationIds: readonly string[]
  messageIds: readonly string[]
  pending: readonly { id: string }[]
}

/** After the rows are erased, so that the final events do not contain the number. */
async function endRunning(
  tx: Sql,
  now: Date,
  { workspaceId, confirmationIds, messageIds, pending }: Running,
): Promise<void> {
  const event = { type: 'recipient_erased', at: now } as const
  const ends = confirmationIds.flatMap((confirmationId) => [
    { workspaceId, confirmationId, check: 'confirmation' as const, event },
    { workspaceId, confirmationId, check: 'refusal' as const, event },
  ])
  await advance(tx, now, ends)
  const verifications = messageIds.map((id) => ({ id, workspace_id: workspaceId }))
  await expireVerifications(tx, verifications, now)
  const failures = pending.map(({ id }) => ownFailure({ id, workspaceId }, 'RECIPIENT_ERASED', now))
  const outcomes = { otp: recordOtpEvents, cod: advanceByOutcomes }
  if (failures.length > 0) await applyReports({ tx, subscribers: { outcomes } }, now, failures)
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

const eventIsBeingSent = (column: string, id: string): string =>
  `exists (
     select from events e cross join lateral (
       select 1 from webhook_deliveries d where event_id = e.id and ${isBeingSent('d', '$3')} limit 1) d
     where e.${column} = ${id})`

/**
 * SQL: the row is from before the erasure. Its id has the time of a node, whose clock may be ahead; `created_at` has the workspace's time,
 * which may be ahead in a sandbox.
 */
const isBefore = (id: string, time: string): string => `(id < ${id} or created_at < ${time}::timestamptz)`

const pickConfirmations: Statement<{ id: string }> = statement(
  'pick_confirmations_to_erase',
  `${rowsOfPerson('confirmations', {
    and: `and ${isBefore('$5', '$6')}
      and not exists (select from messages m where confirmation_id = c.id and ${isBeingSent('m', '$3')})
      and not ${eventIsBeingSent('confirmation_id', 'c.id')}`,
    limit: '$4',
  })} limit $4`,
)

const pickCodes: Statement<{ id: string }> = statement(
  'pick_one_time_codes_to_erase',
  `${rowsOfPerson('messages', {
    and: `and ${isBefore('$5', '$6')} and not ${isBeingSent('m', '$3')} and not ${eventIsBeingSent('message_id', 'm.id')}`,
    limit: '$4',
  })} limit $4`,
)

const ONE_BEFORE = { and: `and ${isBefore('$3', '$4')}`, order: '', limit: 1 }

const findLeft: Statement<{ id: string }> = statement(
  'find_rows_left_to_erase',
  `(${rowsOfPerson('confirmations', ONE_BEFORE)} limit 1) union all (${rowsOfPerson('messages', ONE_BEFORE)} limit 1)`,
)

const lockMessages: Statement<{ id: string; isPending: boolean; isBeingSent: boolean }> = statement(
  'lock_messages_to_erase',
  `select id, (due_at is not null or quarantined_at is not null) as "isPending", ${isBeingSent('m', '$3')} as "isBeingSent"
   from messages m
   where workspace_id = $1 and recipient = any ($5::text[]) and id = any (array (
     select id from messages where confirmation_id = any ($2::uuid[]) union all select unnest($4::uuid[])))
   order by id for no key update`,
)

/** Skips those that another erasure has just erased. "for update" makes a refusal check wait (cod/accept-refusal.ts). */
const lockConfirmations: Statement<{ id: string }> = statement(
  'lock_confirmations_to_erase',
  `select id from confirmations
   where workspace_id = $1 and recipient = any ($3::text[]) and id = any ($2::uuid[]) order by id for update`,
)

const lockEvents: Statement<{ id: string }> = statement(
  'list_events_to_erase',
  `select id from events
   where workspace_id = $1 and body <> '' and id = any (array (
     select id from events where confirmation_id = any ($2::uuid[])
     union all
     select id from events where message_id = any ($3::uuid[])))`,
)

const lockDeliveries: Statement<{ isBeingSent: boolean }> = statement(
  'lock_deliveries_to_erase',
  `select ${isBeingSent('d', '$3')} as "isBeingSent" from webhook_deliveries d
   where workspace_id = $1 and id = any (array (
     select id from webhook_deliveries where event_id = any ($2::uuid[]))) order by id for no key update`,
)

/** The event has no body any more. Its last attempt says why it was not sent. */
const endDeliveries = statement(
  'end_deliveries_of_recipient',
  `with ended as (
     update webhook_deliveries
     set status = 'failed', due_at = null, lease = null, ended_at = $3, scheduled_at = null, early_at = null,
         early_attempts = 0, attempts = attempts + 1
     where workspace_id = $1 and event_id = any ($2::uuid[]) and status in ('pending', 'held')
     returning id, attempts
   )
   insert into webhook_attempts (workspace_id, delivery_id, attempt, started_at, duration_ms, error)
   select $1, id, attempts, $3, 0, '{"code":"webhooks.erased"}' from ended
   on conflict do nothing`,
)

const REPORTS_OF_ROWS = `array (
     select id from provider_reports where confirmation_id = any ($2::uuid[])
     union all
     select id from provider_reports where message_id = any ($3::uuid[]))`

/** Runs before the bodies are emptied: other reports of the person may contain only the user id. */
const findUserIds: Statement<{ userId: string }> = statement(
  'find_user_ids_in_reports_of_rows',
  `select distinct substring(body from '"(?:from|recipient)_user_id":"([^"]+)"') as "userId" from provider_reports
   where workspace_id = $1 and id = any (${REPORTS_OF_ROWS}) and body ~ $4 and body ~ '"(from|recipient)_user_id":"[^"]'
   limit ${MAX_USER_IDS}`,
)

const eraseReports: Statement<{ id: string }> = statement(
  'erase_reports_of_rows',
  `update provider_reports r set ${BLANK_REPORT}, ${END_REPORT}
   where workspace_id = $1 and (body <> '' or provider_message_id is not null) and id = any (${REPORTS_OF_ROWS})
   returning id`,
)
