import { coded } from '../../../../locales/text.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { WAITING } from '../../../messages/queue/lock-senders.ts'
import { type NewFinding, durationText } from '../finding.ts'

/** Kinds of work by the tables that they are in: a locked table hides only its own. */
export const WORK_GROUPS = {
  messages: ['messages'],
  undelivered: ['undelivered'],
  verifications: ['verifications'],
  reports: ['reports'],
  timers: ['timers'],
  deliveries: ['deliveries'],
  scheduled: ['releases', 'syncs', 'daily_figures', 'alerts', 'deletions'],
} as const

export type WorkGroup = keyof typeof WORK_GROUPS
export type WorkKind = (typeof WORK_GROUPS)[WorkGroup][number]

/** How late the oldest due work of each kind may be before it is a finding. A busy instance is a little late at times. */
export const LATE_AFTER_MS = {
  messages: { warning: 2 * MINUTE_MS, failure: 15 * MINUTE_MS },
  undelivered: { warning: 2 * MINUTE_MS, failure: 15 * MINUTE_MS },
  verifications: { warning: 2 * MINUTE_MS, failure: 15 * MINUTE_MS },
  reports: { warning: MINUTE_MS, failure: 10 * MINUTE_MS },
  timers: { warning: 2 * MINUTE_MS, failure: 15 * MINUTE_MS },
  // a slow or failing endpoint gets few attempts at a time, so some of its deliveries wait for hours, and no worker can change that
  deliveries: { warning: 10 * MINUTE_MS, failure: Number.POSITIVE_INFINITY },
  releases: { warning: 2 * MINUTE_MS, failure: 15 * MINUTE_MS },
  syncs: { warning: 15 * MINUTE_MS, failure: 6 * HOUR_MS },
  daily_figures: { warning: 6 * HOUR_MS, failure: 2 * DAY_MS },
  alerts: { warning: 15 * MINUTE_MS, failure: 6 * HOUR_MS },
  deletions: { warning: DAY_MS, failure: 7 * DAY_MS },
} as const satisfies Record<WorkKind, { warning: number; failure: number }>

export const WORK_KINDS = Object.keys(LATE_AFTER_MS) as readonly WorkKind[]

export type OldestDue = { kind: WorkKind; dueAt: Date }

/** Retries move due times ahead, so the work that was due first is among the next ones to be tried. Bounds what is read. */
const MAX_NEXT = 200

/** SQL: of the senders in `waiting`, those that no pause, rejected token or open circuit breaker holds back at $1. */
export const SENDER_MAY_SEND = `cross join lateral (
     select workspace_id, account_id from senders s where s.id = w.sender_id and s.paused_at is null limit 1) s
   cross join lateral (
     select 1 from provider_accounts a
     where a.workspace_id = s.workspace_id and a.id = s.account_id and a.status = 'connected' limit 1) a
   cross join lateral (
     select 1 from sender_pace p
     where p.sender_id = w.sender_id and (p.breaker_open_until is null or p.breaker_open_until <= $1) limit 1) p`

/**
 * Messages that a pause, a rejected token or an open circuit breaker holds back are not late. A message in progress is due
 * when its lease ends, and one that could not be failed was due when its window closed.
 */
const selectOldestMessage: Statement<OldestDue> = statement(
  'find_oldest_due_message',
  `${WAITING}
   select 'messages' as kind, min(m.due_at) as "dueAt"
   from waiting w
   cross join lateral (
     select min(case when finish_error is null then due_at else least(due_at, submit_by) end) as due_at from (
       select due_at, submit_by, finish_error from messages
       where sender_id = w.sender_id and priority = w.priority and due_at is not null
       order by due_at limit ${MAX_NEXT}) next) m
   ${SENDER_MAY_SEND}`,
)

const selectOldestUndelivered: Statement<OldestDue> = statement(
  'find_oldest_due_undelivered',
  `select 'undelivered' as kind, min(deliver_by) as "dueAt"
   from (select deliver_by from messages where deliver_by is not null order by deliver_by limit 1) next`,
)

const selectOldestVerification: Statement<OldestDue> = statement(
  'find_oldest_due_verification',
  `select 'verifications' as kind, min(due_at) as "dueAt"
   from (select due_at from otp_verifications where due_at is not null order by due_at limit 1) next`,
)

/** One that has not been processed was due when it was received, except one that waits for its message. */
const selectOldestReport: Statement<OldestDue> = statement(
  'find_oldest_due_report',
  `select 'reports' as kind, min(case when outcome = 'waiting' then least(due_at, received_at) else due_at end) as "dueAt"
   from (select due_at, received_at, outcome from provider_reports where due_at is not null order by due_at limit ${MAX_NEXT}) next`,
)

/** Quarantined work is not late. */
const selectOldestTimer: Statement<OldestDue> = statement(
  'find_oldest_due_timer',
  `select 'timers' as kind, min(due_at) as "dueAt" from (
     (select timer_due_at as due_at from confirmations
      where timer_due_at is not null and timer_quarantined_at is null order by timer_due_at limit 1)
     union all
     (select timer_due_at from refusal_checks
      where timer_due_at is not null and timer_quarantined_at is null order by timer_due_at limit 1)) timer`,
)

/** One in progress is due when its lease ends. */
const selectOldestDelivery: Statement<OldestDue> = statement(
  'find_oldest_due_delivery',
  `select 'deliveries' as kind, min(d.due_at) as "dueAt"
   from webhook_endpoints e
   cross join lateral (
     select due_at from webhook_deliveries
     where endpoint_id = e.id and due_at is not null order by due_at limit 1) d
   where e.status = 'enabled'`,
)

/** Work that follows the schedule in its row. */
const selectOldestScheduled: Statement<OldestDue> = statement(
  'find_oldest_due_schedule',
  `select 'releases' as kind, min(release_at) as "dueAt" from webhook_endpoints where release_at is not null and status = 'enabled'
   union all
   select 'syncs', min(a.sync_due_at) from provider_accounts a
   where a.status <> 'removed'
     and exists (select from workspaces w where w.id = a.workspace_id and w.deleted_at is null)
   union all
   select 'daily_figures', (select due_at from daily_figures where due_at is not null order by due_at limit 1)
   union all
   select 'alerts', min(alert_due_at) from doctor_findings where alert_due_at is not null
   union all
   select 'deletions', min(deletion_due_at) from workspaces where deletion_due_at is not null and purged_at is null`,
)

const OLDEST: Readonly<Record<WorkGroup, (sql: Sql, now: Date) => Promise<OldestDue[]>>> = {
  messages: (sql, now) => sql.rows(selectOldestMessage, [now]),
  undelivered: (sql) => sql.rows(selectOldestUndelivered),
  verifications: (sql) => sql.rows(selectOldestVerification),
  reports: (sql) => sql.rows(selectOldestReport),
  timers: (sql) => sql.rows(selectOldestTimer),
  deliveries: (sql) => sql.rows(selectOldestDelivery),
  scheduled: (sql) => sql.rows(selectOldestScheduled),
}

/** The oldest of each kind that has due work. */
export async function listOldestDue(
  sql: Sql,
  now: Date,
  groups = Object.keys(OLDEST) as readonly WorkGroup[],
): Promise<OldestDue[]> {
  const oldest: OldestDue[] = []
  for (const group of groups) oldest.push(...(await OLDEST[group](sql, now)))
  return oldest.filter(({ dueAt }) => dueAt !== null && dueAt <= now)
}

export function checkWork(oldest: readonly OldestDue[], now: Date): NewFinding[] {
  return oldest.flatMap(({ kind, dueAt }): NewFinding[] => {
    const lateMs = now.getTime() - dueAt.getTime()
    const limits = LATE_AFTER_MS[kind]
    if (lateMs < limits.warning) return []
    const parameters = { work: coded(`doctor.work_${kind}`), duration: durationText(lateMs) }
    return [lateMs < limits.failure ? { code: 'work_late', ...parameters } : { code: 'work_stuck', ...parameters }]
  })
}
