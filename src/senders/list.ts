import { type Sql, statement } from '../db.ts'
import { senderUnavailableReason } from './availability.ts'

export type Sender = {
  senderId: string
  accountId: string
  phoneNumberId: string
  phoneNumber: string
  /** WhatsApp's own word. */
  status: string
  pausedAt: Date | null
  /** Why it cannot send, and what to do; null when it can. */
  unavailable: string | null
}

/** Every sender of the workspace as it was at the last sync, those included that left their account since. */
export async function listSenders(sql: Sql, workspaceId: string): Promise<Sender[]> {
  const rows = await sql.rows(selectSenders, [workspaceId])
  return rows.map(({ gone, accountStatus, ...sender }) => {
    const { status, pausedAt } = sender
    const reason = senderUnavailableReason({ status, paused: pausedAt !== null, gone, accountStatus })
    return { ...sender, unavailable: reason?.en ?? null }
  })
}

const selectSenders = statement<Omit<Sender, 'unavailable'> & { gone: boolean; accountStatus: string }>(
  'list_senders_of_workspace',
  `select s.id as "senderId", s.account_id as "accountId", s.phone_number_id as "phoneNumberId",
     s.phone as "phoneNumber", s.status, s.paused_at as "pausedAt", s.gone_at is not null as gone,
     a.status as "accountStatus"
   from senders s
   join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
   where s.workspace_id = $1
   order by s.phone, s.id`,
)
