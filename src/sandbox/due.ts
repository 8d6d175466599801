import { type Sql, type Statement, statement } from '../db.ts'

export const DUE_KINDS = ['message', 'report', 'webhook', 'reminder', 'deadline', 'expiry'] as const
export type DueKind = (typeof DUE_KINDS)[number]

export type Due = {
  kind: DueKind
  /** Due now, or under way. */
  busy: number
  /** The first that is due later; real time. */
  nextAt: Date | null
}

/** What the background work of one workspace has to do, by the real clock. */
export const findDueOf = (sql: Sql, workspaceId: string, now: Date): Promise<Due[]> =>
  sql.rows(selectDue, [workspaceId, now])

/**
 * A message that a pause, a refused token or a hold keeps waiting is due when that ends, or when its window closes. One
 * whose last attempt left no outcome behind is under way until it is due, whatever keeps its sender: a report may still
 * tell what became of it.
 */
const selectDue: Statement<Due> = statement(
  'find_due_of_workspace',
  `with senders_of_workspace as materialized (
     select s.id, s.paused_at is not null or a.status <> 'connected' as stopped,
            case when p.held_until > $2 then p.held_until end as held_until
     from senders s
     join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
     left join sender_pace p on p.sender_id = s.id
     where s.workspace_id = $1
   ), due (kind, at, under_way) as (
     select 'message',
            greatest(m.due_at, case when s.stopped then m.submit_by when s.held_until is not null then least(s.held_until, m.submit_by) end),
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
     select timer.kind, timer.at, false
     from confirmations c
     left join lateral (
       select f.* from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1) f on true
     cross join lateral (values
       ('reminder', c.reminder_at), ('deadline', c.deadline_at), ('expiry', c.follow_up_at),
       ('reminder', f.reminder_at), ('deadline', f.deadline_at), ('expiry', f.follow_up_at)) as timer (kind, at)
     where c.workspace_id = $1 and timer.at is not null
   )
   select kind, (count(*) filter (where under_way or at <= $2))::int as busy,
          min(at) filter (where not under_way and at > $2) as "nextAt"
   from due group by kind`,
)

export const isBusy = (due: readonly Due[]): boolean => due.some(({ busy }) => busy > 0)

/** Undefined when nothing waits. */
export function nextDueAt(due: readonly Due[]): Date | undefined {
  const instants = due.flatMap(({ nextAt }) => nextAt ?? [])
  return instants.length > 0 ? new Date(Math.min(...instants.map((at) => at.getTime()))) : undefined
}
