import type { Pool } from 'pg'
import type { Clock } from '../../src/lib/clock.ts'
import type { WorkName } from '../../src/runtime/jobs/wake.ts'

export type Busy = { messages: number; reports: number; timers: number; deliveries: number; syncs: number }

/** What a node can be woken for; it polls for timers. */
export const workOf = (busy: Busy): WorkName[] => [
  ...(busy.messages > 0 ? ['submit' as const] : []),
  ...(busy.reports > 0 ? ['reports' as const] : []),
  ...(busy.deliveries > 0 ? ['deliver' as const] : []),
  ...(busy.syncs > 0 ? ['sync' as const] : []),
]

/**
 * Due or running background work of a workspace; undefined if there is none. Messages blocked by an open circuit breaker,
 * a pause or a rejected token count only once their window has closed.
 */
export async function findDueWork(database: Pool, workspaceId: string, clock: Clock): Promise<Busy | undefined> {
  const movedByMs = clock.now().getTime() - Date.now()
  const answer = await database.query<Busy>({ name: 'due_work', text: DUE, values: [workspaceId, movedByMs] })
  const [busy] = answer.rows
  return busy && Object.values(busy).some((count) => count > 0) ? busy : undefined
}

/** Reads the time in the query, so that everything committed before it is due. Named: planning it takes longer than running it. */
const DUE = `
  with moved as materialized (select clock_timestamp() + $2 * interval '1 ms' as now)
  select
    (select count(*)::int from messages m
     join senders s on s.workspace_id = m.workspace_id and s.id = m.sender_id
     join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
     join sender_pace p on p.sender_id = s.id
     where m.workspace_id = $1 and m.due_at is not null and (
       m.lease is not null
       or m.due_at <= moved.now and (m.submit_by <= moved.now
         or (s.paused_at is null and a.status = 'connected' and coalesce(p.breaker_open_until <= moved.now, true))))) as messages,
    (select count(*)::int from provider_reports where workspace_id = $1 and due_at <= moved.now) as reports,
    (select count(*)::int from confirmations where workspace_id = $1 and timer_due_at <= moved.now
      and timer_quarantined_at is null and coalesce(timer_retry_at <= moved.now, true))
      + (select count(*)::int from refusal_checks where workspace_id = $1 and timer_due_at <= moved.now
      and timer_quarantined_at is null and coalesce(timer_retry_at <= moved.now, true))
      + (select count(*)::int from otp_verifications where workspace_id = $1 and due_at <= moved.now)
      + (select count(*)::int from messages where workspace_id = $1 and deliver_by <= moved.now) as timers,
    (select count(*)::int from webhook_deliveries
     where workspace_id = $1 and due_at is not null and (due_at <= moved.now or lease is not null)) as deliveries,
    (select count(*)::int from provider_accounts where workspace_id = $1 and sync_due_at <= moved.now) as syncs
  from moved`

/** Leftovers must not reach the next test, whose clock differs. */
export const cancelWork = (database: Pool, workspaceId: string): Promise<unknown> =>
  database.query({ name: 'cancel_work', text: CANCEL, values: [workspaceId] })

/** In one statement, which is prepared: every test ends with it. */
const CANCEL = `
  with verifications as (
    update otp_verifications set due_at = 'infinity' where workspace_id = $1 and due_at is not null),
  messages as (
    update messages set due_at = null, lease = null, code = null, deliver_by = null
    where workspace_id = $1 and (due_at is not null or deliver_by is not null)),
  reports as (
    update provider_reports set due_at = null, outcome = 'ignored' where workspace_id = $1 and due_at is not null),
  deliveries as (
    update webhook_deliveries set due_at = null, lease = null, status = 'failed'
    where workspace_id = $1 and due_at is not null),
  endpoints as (
    update webhook_endpoints set release_at = null where workspace_id = $1 and release_at is not null),
  sandboxes as (
    delete from sandbox_work where workspace_id = $1),
  confirmations as (
    update confirmations set reminder_at = null, deadline_at = null, follow_up_at = null
    where workspace_id = $1 and timer_due_at is not null),
  refusals as (
    update refusal_checks set reminder_at = null, deadline_at = null, follow_up_at = null
    where workspace_id = $1 and timer_due_at is not null)
  -- the next test's emulator may get this one's port, and has an account with the same id
  update provider_accounts set sync_due_at = 'infinity', graph_url = 'http://' || id where workspace_id = $1`
