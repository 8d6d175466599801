import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { WAITING } from '../../../messages/queue/lock-senders.ts'
import { SENDER_MAY_SEND, type WorkGroup, type WorkKind } from './oldest-due.ts'

/** A larger number is counted as this one: a count reads the index, and must stay quick with millions of due rows. */
const MAX_COUNTED = 10_000

type Due = { kind: WorkKind; number: number }

const counted = (kind: WorkKind, rows: string): string =>
  `select '${kind}' as kind, count(*)::int as number from (${rows} limit ${MAX_COUNTED}) due`

const countDueMessages: Statement<Due> = statement(
  'count_due_messages',
  `${WAITING}
   ${counted(
     'messages',
     `select from waiting w
      ${SENDER_MAY_SEND}
      cross join lateral (
        select from messages where sender_id = w.sender_id and priority = w.priority and due_at <= $1 limit ${MAX_COUNTED}) m
      where w.due_at <= $1`,
   )}`,
)

const countDueUndelivered: Statement<Due> = statement(
  'count_due_undelivered',
  counted('undelivered', 'select from messages where deliver_by <= $1'),
)

const countDueVerifications: Statement<Due> = statement(
  'count_due_verifications',
  counted('verifications', 'select from otp_verifications where due_at <= $1'),
)

const countDueReports: Statement<Due> = statement(
  'count_due_reports',
  counted('reports', 'select from provider_reports where due_at <= $1'),
)

const countDueTimers: Statement<Due> = statement(
  'count_due_timers',
  counted(
    'timers',
    `select from (
       select timer_due_at from confirmations where timer_due_at <= $1 and timer_quarantined_at is null
       union all
       select timer_due_at from refusal_checks where timer_due_at <= $1 and timer_quarantined_at is null) timer`,
  ),
)

/** One in progress is due when its lease ends. */
const countDueDeliveries: Statement<Due> = statement(
  'count_due_deliveries',
  counted(
    'deliveries',
    `select from webhook_endpoints e
     cross join lateral (select from webhook_deliveries where endpoint_id = e.id and due_at <= $1 limit ${MAX_COUNTED}) d
     where e.status = 'enabled'`,
  ),
)

const countDueScheduled: Statement<Due> = statement(
  'count_due_schedules',
  [
    counted('releases', `select from webhook_endpoints where release_at <= $1 and status = 'enabled'`),
    counted(
      'syncs',
      `select from provider_accounts a
       where a.sync_due_at <= $1 and a.status <> 'removed'
         and exists (select from workspaces w where w.id = a.workspace_id and w.deleted_at is null)`,
    ),
    counted('daily_figures', 'select from daily_figures where due_at <= $1'),
    counted('alerts', 'select from doctor_findings where alert_due_at <= $1'),
    counted('deletions', 'select from workspaces where deletion_due_at <= $1 and purged_at is null'),
  ].join('\n   union all\n   '),
)

const COUNTS: Readonly<Record<WorkGroup, Statement<Due>>> = {
  messages: countDueMessages,
  undelivered: countDueUndelivered,
  verifications: countDueVerifications,
  reports: countDueReports,
  timers: countDueTimers,
  deliveries: countDueDeliveries,
  scheduled: countDueScheduled,
}

/** How much work of each kind of the group is due. */
export const countDue = (sql: Sql, group: WorkGroup, now: Date): Promise<Due[]> => sql.rows(COUNTS[group], [now])

export type EndpointCounts = { healthy: number; failing: number; paused: number; disabled: number }

/** Of live workspaces. An enabled endpoint fails from its first failed attempt until an attempt succeeds. */
export const countEndpoints = async (sql: Sql): Promise<EndpointCounts> =>
  (await sql.row(countByState)) ?? { healthy: 0, failing: 0, paused: 0, disabled: 0 }

const countByState: Statement<EndpointCounts> = statement(
  'count_endpoints_by_state',
  `select (count(*) filter (where e.status = 'enabled' and e.failing_since is null))::int as healthy,
     (count(*) filter (where e.status = 'enabled' and e.failing_since is not null))::int as failing,
     (count(*) filter (where e.status = 'paused'))::int as paused,
     (count(*) filter (where e.status = 'disabled'))::int as disabled
   from workspaces w cross join lateral (
     select status, failing_since from webhook_endpoints where workspace_id = w.id and deleted_at is null) e
   where w.deleted_at is null`,
)
