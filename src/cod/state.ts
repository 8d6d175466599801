import { type Sql, type Statement, batch, changes, statement } from '../db.ts'
import type { FailureCode } from '../providers/provider.ts'
import type { Confirmation, ConfirmationStatus, Reschedule } from './confirmation.ts'
import type { Refusal, RefusalStatus } from './refusal.ts'
import type { ConfirmationRow, RefusalRow } from './view.ts'

/** Who a confirmation is about, and what both machines know of it. */
export type Case = {
  id: string
  workspaceId: string
  senderId: string
  recipient: string
  /** How far the workspace's clock is ahead of the real one. */
  clockOffsetMs: number
  lastEventAt: Date | null
  confirmation: {
    row: ConfirmationRow
    state: Confirmation
    language: string
    askedAt: Date | null
  }
  refusal: { row: RefusalRow; state: Refusal; language: string; askedAt: Date | null } | null
}

/**
 * Locks confirmations, and with them their refusal checks: two replies of one customer must pass through the machines one
 * after the other. In the order of their ids, so that batches wait for each other and never in a circle.
 */
export async function lockCases(
  tx: Sql,
  cases: readonly { workspaceId: string; confirmationId: string }[],
): Promise<Map<string, Case>> {
  const once = new Map(
    cases.map(({ workspaceId, confirmationId }) => [confirmationId, { workspace_id: workspaceId, id: confirmationId }]),
  )
  const wanted = [...once.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const rows = await tx.rows(lock, [batch(wanted)])
  return new Map(rows.map((row) => [row.id, asCase(row)]))
}

type Timers = { reminder_at: Date | null; deadline_at: Date | null; follow_up_at: Date | null }

type LockedRow = ConfirmationRow &
  Timers & {
    workspace_id: string
    sender_id: string
    clock_offset_ms: number
    last_event_at: Date | null
    template_language: string
    choices: Reschedule | null
    closing_sent: boolean
    follow_up: number
    asked_at: Date | null
    refusal: RefusalColumns | null
  }

/** As JSON gives it: instants are texts. */
type RefusalColumns = {
  status: RefusalStatus
  reason: string | null
  note: string | null
  answered_at: string | null
  failure_code: FailureCode | null
  failed_at: string | null
  reminder_at: string | null
  deadline_at: string | null
  follow_up_at: string | null
  template_language: string
  closing_sent: boolean
  list: number
  asked_at: string | null
}

const lock: Statement<LockedRow> = statement(
  'lock_confirmations',
  `select c.*, (select w.clock_offset_ms from workspaces w where w.id = c.workspace_id) as clock_offset_ms,
          case when f.confirmation_id is not null then to_jsonb(f) end as refusal
   from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
   cross join lateral (
     select * from confirmations c where c.workspace_id = r.workspace_id and c.id = r.id limit 1 for no key update) c
   left join lateral (
     -- locked as well: a row that is only read would be the one of before the wait
     select * from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1 for no key update) f on true`,
)

function asCase(row: LockedRow): Case {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    senderId: row.sender_id,
    recipient: row.recipient,
    clockOffsetMs: row.clock_offset_ms,
    lastEventAt: row.last_event_at,
    confirmation: {
      row,
      state: {
        status: row.status,
        answeredAt: row.answered_at,
        reschedule: row.reschedule,
        choices: row.choices,
        failure: failureOf(row.failure_code, row.failed_at),
        ...timersOf(row),
        closingSent: row.closing_sent,
        followUp: row.follow_up,
      },
      language: row.template_language,
      askedAt: row.asked_at,
    },
    refusal: row.refusal && refusalOf(row.refusal),
  }
}

function refusalOf(columns: RefusalColumns): Case['refusal'] {
  const at = (text: string | null): Date | null => (text === null ? null : new Date(text))
  const row = { ...columns, answered_at: at(columns.answered_at), failed_at: at(columns.failed_at) }
  return {
    row,
    state: {
      status: row.status,
      answeredAt: row.answered_at,
      reason: row.reason,
      note: row.note,
      failure: failureOf(row.failure_code, row.failed_at),
      ...timersOf({
        reminder_at: at(columns.reminder_at),
        deadline_at: at(columns.deadline_at),
        follow_up_at: at(columns.follow_up_at),
      }),
      closingSent: row.closing_sent,
      list: row.list,
    },
    language: row.template_language,
    askedAt: at(columns.asked_at),
  }
}

const timersOf = (row: Timers) => ({
  reminderAt: row.reminder_at,
  deadlineAt: row.deadline_at,
  followUpAt: row.follow_up_at,
})

const failureOf = (code: FailureCode | null, at: Date | null): Confirmation['failure'] =>
  code && at ? { code, at } : null

/** Writes what the machines decided of cases that are locked. */
export async function writeCases(tx: Sql, cases: readonly Case[]): Promise<void> {
  await tx.rows(writeConfirmations, [changes(cases.map(confirmationColumns))])
  const refusals = cases.flatMap(refusalColumns)
  if (refusals.length > 0) await tx.rows(writeRefusals, [changes(refusals)])
}

const confirmationColumns = ({ id, lastEventAt, confirmation: { row, state, askedAt } }: Case) => ({
  id,
  status: state.status satisfies ConfirmationStatus,
  answered_at: row.answered_at,
  reschedule: state.reschedule,
  choices: state.choices,
  failure_code: row.failure_code,
  failed_at: row.failed_at,
  reminder_at: state.reminderAt,
  deadline_at: state.deadlineAt,
  follow_up_at: state.followUpAt,
  closing_sent: state.closingSent,
  follow_up: state.followUp,
  asked_at: askedAt,
  last_event_at: lastEventAt,
})

const refusalColumns = ({ id, refusal }: Case) =>
  refusal
    ? [
        {
          id,
          status: refusal.state.status,
          answered_at: refusal.row.answered_at,
          reason: refusal.state.reason,
          note: refusal.state.note,
          failure_code: refusal.row.failure_code,
          failed_at: refusal.row.failed_at,
          reminder_at: refusal.state.reminderAt,
          deadline_at: refusal.state.deadlineAt,
          follow_up_at: refusal.state.followUpAt,
          closing_sent: refusal.state.closingSent,
          list: refusal.state.list,
          asked_at: refusal.askedAt,
        },
      ]
    : []

const writeConfirmations = statement(
  'write_confirmations',
  // by id alone: lockCases has just read these rows by workspace_id and id
  `update confirmations c
   set (status, answered_at, reschedule, choices, failure_code, failed_at, reminder_at, deadline_at, follow_up_at,
        closing_sent, follow_up, asked_at, last_event_at) = (
     select r.status, r.answered_at, r.reschedule, r.choices, r.failure_code, r.failed_at, r.reminder_at, r.deadline_at,
            r.follow_up_at, r.closing_sent, r.follow_up, r.asked_at, r.last_event_at
     from jsonb_to_record($1::jsonb -> c.id::text) as r (status text, answered_at timestamptz, reschedule jsonb, choices jsonb,
       failure_code text, failed_at timestamptz, reminder_at timestamptz, deadline_at timestamptz, follow_up_at timestamptz,
       closing_sent boolean, follow_up smallint, asked_at timestamptz, last_event_at timestamptz))
   where c.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)

const writeRefusals = statement(
  'write_refusal_checks',
  // by id alone: lockCases has just read these rows by workspace_id and id
  `update refusal_checks f
   set (status, answered_at, reason, note, failure_code, failed_at, reminder_at, deadline_at, follow_up_at, closing_sent, list,
        asked_at) = (
     select r.status, r.answered_at, r.reason, r.note, r.failure_code, r.failed_at, r.reminder_at, r.deadline_at,
            r.follow_up_at, r.closing_sent, r.list, r.asked_at
     from jsonb_to_record($1::jsonb -> f.confirmation_id::text) as r (status text, answered_at timestamptz, reason text, note text,
       failure_code text, failed_at timestamptz, reminder_at timestamptz, deadline_at timestamptz, follow_up_at timestamptz,
       closing_sent boolean, list smallint, asked_at timestamptz))
   where f.confirmation_id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)
