import { withConnection } from './postgres.ts'

export type Busy = { messages: number; reports: number; deliveries: number; syncs: number }

/**
 * What a workspace's background work would do now, or is doing: undefined when there is nothing. Messages that a hold, a
 * pause or a refused token keeps waiting count only once their window has closed.
 */
export async function whatIsDue(databaseUrl: string, workspaceId: string, now: Date): Promise<Busy | undefined> {
  const busy = await withConnection(databaseUrl, async (connection) => {
    const answer = await connection.query<Busy>(DUE, [workspaceId, now])
    return answer.rows[0]
  })
  return busy && Object.values(busy).some((count) => count > 0) ? busy : undefined
}

const DUE = `
  select
    (select count(*)::int from messages m
     join senders s on s.workspace_id = m.workspace_id and s.id = m.sender_id
     join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
     join sender_pace p on p.sender_id = s.id
     where m.workspace_id = $1 and m.due_at is not null and (
       m.lease is not null
       or m.due_at <= $2 and (m.submit_by <= $2
         or (s.paused_at is null and a.status = 'connected' and coalesce(p.held_until <= $2, true))))) as messages,
    (select count(*)::int from provider_reports where workspace_id = $1 and due_at <= $2) as reports,
    (select count(*)::int from webhook_deliveries
     where workspace_id = $1 and due_at is not null and (due_at <= $2 or lease is not null)) as deliveries,
    (select count(*)::int from provider_accounts where workspace_id = $1 and sync_due_at <= $2) as syncs`
