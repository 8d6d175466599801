import { type Sql, type Statement, statement } from '../lib/db/pool.ts'
import type { WorkName } from '../runtime/jobs/wake.ts'

export type DueWork = {
  kind: 'message' | 'report' | 'webhook' | 'reminder' | 'deadline' | 'expiry' | 'verification' | 'undelivered'
  /** Number of items that are due or running. */
  busy: number
  /** When the next one falls due, in real time. */
  nextAt: Date | null
}

/** All that a move of the clock can make due. */
export const WOKEN_BY_CLOCK = [
  'submit',
  'reports',
  'deliver',
  'timers',
  'verifications',
  'undelivered',
] as const satisfies readonly WorkName[]

/** The timers of a confirmation `c` and its refusal check `f`. */
export const TIMERS = `cross join lateral (values
       ('confirmation', 'reminder', c.reminder_at, c.timer_retry_at, c.timer_quarantined_at),
       ('confirmation', 'deadline', c.deadline_at, c.timer_retry_at, c.timer_quarantined_at),
       ('confirmation', 'expiry', c.follow_up_at, c.timer_retry_at, c.timer_quarantined_at),
       ('refusal', 'reminder', f.reminder_at, f.timer_retry_at, f.timer_quarantined_at),
       ('refusal', 'deadline', f.deadline_at, f.timer_retry_at, f.timer_quarantined_at),
       ('refusal', 'expiry', f.follow_up_at, f.timer_retry_at, f.timer_quarantined_at)
     ) as timer ("check", kind, at, retry_at, quarantined_at)`

/** The work of one workspace, by the real clock. */
export const listDueWork = (sql: Sql, workspaceId: string, now: Date): Promise<DueWork[]> =>
  sql.rows(selectDue, [workspaceId, now])

/**
 * A message blocked by a pause, a rejected token or an open circuit breaker is due when that ends, or when its window
 * closes. A message whose last attempt has no outcome counts as running until it is due: a report may still bring the
 * outcome. Quarantined work waits for an operator and is never due.
 */
const selectDue: Statement<DueWork> = statement(
  'find_due_of_workspace',
  `with senders_of_workspace as materialized (
     select s.id, s.paused_at is not null or a.status <> 'connected' as stopped,
            case when p.breaker_open_until > $2 then p.breaker_open_until end as breaker_open_until
     from senders s
     join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
     left join sender_pace p on p.sender_id = s.id
     where s.workspace_id = $1
   ), due (kind, at, under_way) as (
     select 'message',
            greatest(m.due_at, case when s.stopped then m.submit_by when s.breaker_open_until is not null then least(s.breaker_open_until, m.submit_by) end),
            m.lease is not null or (m.attempted_at is not null and m.due_at > $2)
     from senders_of_workspace s
     cross join lateral (
       select m.due_at, m.submit_by, m.lease, m.attempted_at from messages m
       where m.sender_id = s.id and m.due_at is not null offset 0) m
     union all
     select 'report', due_at, false from provider_reports where workspace_id = $1 and due_at is not null
     union all
     select 'webhook', d.due_at, d.lease is not null
     from webhook_endpoints e
     cross join lateral (
       select d.due_at, d.lease from webhook_deliveries d
       where d.endpoint_id = e.id and d.due_at is not null offset 0) d
     where e.workspace_id = $1
     union all
     select 'verification', due_at, false from otp_verifications where workspace_id = $1 and due_at is not null
     union all
     select 'undelivered', deliver_by, false from messages where workspace_id = $1 and deliver_by is not null
     union all
     select timer.kind, greatest(timer.at, timer.retry_at), false
     from confirmations c
     left join lateral (
       select f.* from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1) f on true
     ${TIMERS}
     where c.workspace_id = $1 and timer.at is not null and timer.quarantined_at is null
   )
   select kind, (count(*) filter (where under_way or at <= $2))::int as busy,
          min(at) filter (where not under_way and at > $2) as "nextAt"
   from due group by kind`,
)

export const hasBusyWork = (due: readonly DueWork[]): boolean => due.some(({ busy }) => busy > 0)

/** Returns undefined if nothing is scheduled. */
export function findNextDueAt(due: readonly DueWork[]): Date | undefined {
  const instants = due.flatMap(({ nextAt }) => nextAt ?? [])
  return instants.length > 0 ? new Date(Math.min(...instants.map((at) => at.getTime()))) : undefined
}
