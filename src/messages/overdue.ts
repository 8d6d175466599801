import { SECOND_MS } from '../clock.ts'
import { type Statement, statement } from '../db.ts'
import { transactionWithEvents } from '../events/record.ts'
import type { Loop } from '../jobs/loop.ts'
import type { Parts } from '../parts.ts'
import type { FailureCode } from '../providers/provider.ts'
import { failureAtClose } from './decide.ts'
import { INTERRUPTED } from './finish.ts'
import { applyReports } from './outcome.ts'

const EACH_MOST = 100

type OverdueParts = Pick<Parts, 'db' | 'clock' | 'metrics' | 'wake' | 'live'>

/**
 * Messages that waited behind a hold, a pause or a refused token until their window closed. Those that nothing holds are
 * found by the claim itself. Looks at the oldest of each sender only, so that a long queue costs nothing.
 */
export const overdueLoop = (parts: OverdueParts): Loop => ({
  name: 'overdue',
  pollMs: SECOND_MS,
  turn: async () => ({ more: (await failOverdue(parts)) >= EACH_MOST }),
})

async function failOverdue({ db, clock, metrics, wake, live }: OverdueParts): Promise<number> {
  const failed = await transactionWithEvents({ db, metrics }, async (tx) => {
    const now = clock.now()
    const overdue = await tx.rows(findOverdue, [now])
    if (overdue.length === 0) return overdue
    await tx.rows(recordInterrupted, [overdue.map(({ id }) => id), now])
    await applyReports(
      tx,
      now,
      overdue.map((message) => ({
        workspaceId: message.workspace_id,
        messageId: message.id,
        providerMessageId: null,
        report: { outcome: 'failed', at: now, failureCode: failureOf(message) },
      })),
    )
    return overdue
  })
  if (failed.length > 0) wake('deliver')
  live.changed(failed.map(({ workspace_id }) => workspace_id))
  return failed.length
}

type Overdue = { id: string; workspace_id: string; last_failure_code: FailureCode | null; open_attempt: boolean }

const findOverdue: Statement<Overdue> = statement(
  'find_overdue_messages',
  `with recursive waiting as (
     (select sender_id, priority from messages where due_at is not null order by sender_id, priority limit 1)
     union all
     select n.sender_id, n.priority from waiting w cross join lateral (
       select m.sender_id, m.priority from messages m
       where m.due_at is not null and (m.sender_id, m.priority) > (w.sender_id, w.priority)
       order by m.sender_id, m.priority limit 1) n
   )
   select o.id, o.workspace_id, o.last_failure_code, o.attempted_at is not null as open_attempt
   from waiting w
   cross join lateral (
     select 1 from senders s
     join sender_pace p on p.sender_id = s.id
     join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
     where s.id = w.sender_id and (p.held_until > $1 or s.paused_at is not null or a.status <> 'connected') limit 1) held
   cross join lateral (
     select * from (
       select m.id, m.workspace_id, m.last_failure_code, m.attempted_at, m.submit_by from messages m
       where m.sender_id = w.sender_id and m.priority = w.priority and m.due_at <= $1
       order by m.due_at limit ${EACH_MOST} for no key update skip locked) oldest
     where oldest.submit_by <= $1) o`,
)

/** An attempt whose process ended before it stored the outcome. Nobody will take the message again and tell of it. */
const recordInterrupted = statement(
  'record_interrupted_attempts_of_overdue_messages',
  // by id alone: findOverdue has just read and locked these rows
  `insert into message_attempts (workspace_id, message_id, attempt, started_at, ended_at, outcome, detail)
   select workspace_id, id, attempts, attempted_at, $2, 'unknown', '${INTERRUPTED}'
   from messages where id = any ($1::uuid[]) and lease is not null and attempted_at is not null
   on conflict do nothing`,
)

const failureOf = ({ last_failure_code, open_attempt }: Overdue): FailureCode =>
  failureAtClose({ attemptIsOpen: open_attempt, lastFailureCode: last_failure_code })
