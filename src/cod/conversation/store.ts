import { type Sql, type Statement, batch, changes, inLockOrder, statement } from '../../lib/db/pool.ts'
import type { Check } from '../../messages/conversation.ts'
import type { ConfirmationTypes } from './confirmation.ts'
import type { CheckState, InternalEvent, Types } from './machine.ts'
import type { RefusalTypes } from './refusal.ts'

/** A confirmation and its refusal check. */
export type Conversation = {
  id: string
  workspaceId: string
  senderId: string
  recipient: string
  reference: string
  createdAt: Date
  /** How far the workspace's clock is ahead of the real one. */
  clockOffsetMs: number
  lastEventAt: Date | null
  /** How many inputs have changed the conversation. */
  inputs: number
  /** The first MAX_INTERNAL_INPUTS timers, failed messages and erasures among them; null if there were none. */
  internalInputs: InternalInput[] | null
  confirmation: ConversationCheck<ConfirmationTypes>
  refusal: ConversationCheck<RefusalTypes> | null
}

/** A customer who keeps asking for another time adds one a day. "verify" does not verify a conversation that has reached this limit. */
export const MAX_INTERNAL_INPUTS = 200

/** An input that is stored nowhere else: "verify" applies it again. `clockOffsetMs`: how far the workspace's clock was ahead at that moment. */
export type InternalInput = { inputNumber: number; clockOffsetMs: number; check: Check; event: InternalEvent }

/** The times of the answer and of the failure are in the workspace's time, since clients see them. */
export type ConversationCheck<T extends Types> = {
  state: CheckState<T>
  language: string
  /** When the customer gave the answer that led to the latest question. */
  askedAt: Date | null
}

/** Locks conversations: two replies of one customer must pass through the machines one by one. */
export async function lockConversations(
  tx: Sql,
  conversations: readonly { workspaceId: string; confirmationId: string }[],
): Promise<Map<string, Conversation>> {
  if (conversations.length === 0) return new Map()
  const named = conversations.map(({ workspaceId, confirmationId: id }) => ({ workspace_id: workspaceId, id }))
  const rows = await tx.rows(lock, [batch(inLockOrder(named))])
  return new Map(rows.map((row) => [row.id, asConversation(row)]))
}

export async function findConversations(
  sql: Sql,
  workspaceId: string,
  ids: readonly string[],
): Promise<Conversation[]> {
  return (await sql.rows(find, [workspaceId, ids])).map(asConversation)
}

/** A row of either table as JSON, in which instants are texts. */
const checkOf = (row: string, chosen: string): string =>
  `jsonb_build_object('language', ${row}.template_language, 'askedAt', ${row}.asked_at, 'state', jsonb_build_object(
     'status', ${row}.status, 'answeredAt', ${row}.answered_at, 'reminderAt', ${row}.reminder_at, 'deadlineAt', ${row}.deadline_at,
     'followUpAt', ${row}.follow_up_at, 'chosen', ${chosen}, 'closingSent', ${row}.closing_sent, 'round', ${row}.round,
     'answerTimes', ${row}.answer_times, 'failure',
     case when ${row}.failure_code is not null then jsonb_build_object('code', ${row}.failure_code, 'at', ${row}.failed_at) end))`

const REASON = `case when coalesce(f.reason, f.note) is not null then jsonb_build_object('reason', f.reason, 'note', f.note) end`

const COLUMNS = `c.id, c.workspace_id as "workspaceId", c.sender_id as "senderId", c.recipient, c.reference,
     c.created_at as "createdAt", c.last_event_at as "lastEventAt", c.inputs, c.internal_inputs as "internalInputs",
     (select w.clock_offset_ms from workspaces w where w.id = c.workspace_id) as "clockOffsetMs",
     ${checkOf('c', 'coalesce(c.reschedule, c.choices)')} as confirmation,
     case when f.confirmation_id is not null then ${checkOf('f', REASON)} end as refusal`

const lock: Statement<Conversation> = statement(
  'lock_confirmations',
  `select ${COLUMNS}
   from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
   cross join lateral (
     select * from confirmations c where c.workspace_id = r.workspace_id and c.id = r.id limit 1 for no key update) c
   left join lateral (
     -- locked too: a row that is only read would be as it was before the wait
     select * from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1 for no key update) f on true`,
)

const find: Statement<Conversation> = statement(
  'find_confirmations',
  `select ${COLUMNS}
   from unnest($2::uuid[]) as chosen (id)
   cross join lateral (select * from confirmations c where c.workspace_id = $1 and c.id = chosen.id limit 1) c
   left join lateral (
     select * from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1) f on true`,
)

const asConversation = (row: Conversation): Conversation => ({
  ...row,
  internalInputs: row.internalInputs && row.internalInputs.map(withInstants),
  confirmation: withInstants(row.confirmation),
  refusal: withInstants(row.refusal),
})

/** Members named `at` or `…At` are instants. */
function withInstants<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const isInstant = typeof member === 'string' && /^at$|At$/.test(name)
    return [name, isInstant ? new Date(member) : withInstants(member)]
  })
  return Object.fromEntries(members) as Value
}

/** Writes conversations that are locked. */
export async function writeConversations(tx: Sql, conversations: readonly Conversation[]): Promise<void> {
  const confirmations = conversations.map(
    ({ id, lastEventAt, inputs, internalInputs, confirmation: { state, askedAt } }) => ({
      ...checkColumns(id, state, askedAt),
      reschedule: state.status === 'rescheduled' ? state.chosen : null,
      choices: state.status === 'rescheduling' ? state.chosen : null,
      last_event_at: lastEventAt,
      inputs,
      internal_inputs: internalInputs ?? undefined, // omitted if null, as for most confirmations
    }),
  )
  const refusals = conversations.flatMap(({ id, refusal }) =>
    refusal ? [{ ...checkColumns(id, refusal.state, refusal.askedAt), ...refusal.state.chosen }] : [],
  )
  if (confirmations.length > 0) await tx.rows(writeConfirmations, [changes(confirmations)])
  if (refusals.length > 0) await tx.rows(writeRefusals, [changes(refusals)])
}

const checkColumns = <T extends Types>(id: string, state: CheckState<T>, askedAt: Date | null) => ({
  id,
  status: state.status,
  answered_at: state.answeredAt,
  failure_code: state.failure?.code,
  failed_at: state.failure?.at,
  reminder_at: state.reminderAt,
  deadline_at: state.deadlineAt,
  follow_up_at: state.followUpAt,
  closing_sent: state.closingSent,
  asked_at: askedAt,
  answer_times: state.answerTimes,
  round: state.round,
})

const CHECK_COLUMNS = `status, answered_at, failure_code, failed_at, reminder_at, deadline_at, follow_up_at, closing_sent,
        asked_at, answer_times, round`
/** A check that has advanced gets all tries of its timers again. */
const CLEARED = 'timer_tries, timer_error, timer_retry_at, timer_quarantined_at'
const NO_FAULT = '0::smallint, null::jsonb, null::timestamptz, null::timestamptz'

/** The id is enough: lockConversations has read these rows by workspace_id and id. */
const write = (table: string, id: string, columns: string) =>
  statement(
    `write_${table}`,
    `update ${table} t
     set (${columns}, ${CLEARED}) = (
       select ${columns}, ${NO_FAULT} from jsonb_populate_record(null::${table}, $1::jsonb -> t.${id}::text))
     where t.${id} = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
  )

const writeConfirmations = write(
  'confirmations',
  'id',
  `${CHECK_COLUMNS}, reschedule, choices, last_event_at, inputs, internal_inputs`,
)
const writeRefusals = write('refusal_checks', 'confirmation_id', `${CHECK_COLUMNS}, reason, note`)
