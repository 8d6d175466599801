import { type Sql, statement } from '../db.ts'
import { firstIdSince } from '../sandbox/ids-between.ts'
import { type Obstacle, senderObstacle } from './availability.ts'

export type AccountState = {
  accountId: string
  wabaId: string
  graphUrl: string
  status: 'connected' | 'credentials_invalid'
  /** What the last sync or send was refused with; null when the last one was not. */
  statusDetail: string | null
  createdAt: Date
  /** When the numbers and templates were read last. */
  syncedAt: Date | null
  /** When they are read again. */
  syncDueAt: Date
  templates: number
}

const selectAccounts = statement<AccountState>(
  'list_accounts_of_workspace',
  `select a.id as "accountId", a.waba_id as "wabaId", a.graph_url as "graphUrl", a.status,
     a.status_detail as "statusDetail", a.created_at as "createdAt", a.synced_at as "syncedAt",
     a.sync_due_at as "syncDueAt",
     (select count(*) from templates t where t.workspace_id = a.workspace_id and t.account_id = a.id) as templates
   from provider_accounts a where a.workspace_id = $1 order by a.created_at, a.id`,
)

export const listAccounts = (sql: Sql, workspaceId: string): Promise<AccountState[]> =>
  sql.rows(selectAccounts, [workspaceId])

export const findAccount = async (
  sql: Sql,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
): Promise<AccountState | undefined> =>
  (await listAccounts(sql, workspaceId)).find((account) => account.accountId === accountId)

/** A sender with everything that tells whether and how well it sends. */
export type SenderOverview = {
  senderId: string
  accountId: string
  phoneNumberId: string
  phoneNumber: string
  verifiedName: string | null
  /** WhatsApp's own words. */
  status: string
  quality: string | null
  throughput: string | null
  pausedAt: Date | null
  goneAt: Date | null
  /** A limit or a fault that WhatsApp named holds its sends, until then at the most. */
  heldUntil: Date | null
  /** What keeps it from sending; null when nothing does. */
  obstacle: Obstacle | null
}

const selectSenders = statement<Omit<SenderOverview, 'obstacle'> & { accountStatus: string }>(
  'list_senders_with_health',
  `select s.id as "senderId", s.account_id as "accountId", s.phone_number_id as "phoneNumberId",
     s.phone as "phoneNumber", s.verified_name as "verifiedName", s.status, s.quality, s.throughput,
     s.paused_at as "pausedAt", s.gone_at as "goneAt", a.status as "accountStatus",
     (select p.held_until from sender_pace p where p.sender_id = s.id and p.held_until > $2) as "heldUntil"
   from senders s
   join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
   where s.workspace_id = $1
   order by s.gone_at nulls first, s.phone, s.id`,
)

export async function listSenderOverviews(sql: Sql, workspaceId: string, now: Date): Promise<SenderOverview[]> {
  const rows = await sql.rows(selectSenders, [workspaceId, now])
  return rows.map(({ accountStatus, ...sender }) => {
    const { status, pausedAt, goneAt } = sender
    const state = { status, paused: pausedAt !== null, gone: goneAt !== null, accountStatus }
    return { ...sender, obstacle: senderObstacle(state) ?? null }
  })
}

export type SenderTraffic = { senderId: string; messages: number; failed: number }

/** Beyond this many messages of a workspace the count stops: nobody waits for it. */
const TRAFFIC_COUNTED_MOST = 100_000

const selectTraffic = statement<SenderTraffic>(
  'count_traffic_of_senders',
  `select m.sender_id as "senderId", count(*) as messages, count(*) filter (where m.status = 'failed') as failed
   from (select sender_id, status, created_at from messages where workspace_id = $1 and id >= $2
         order by id desc limit ${TRAFFIC_COUNTED_MOST}) m
   where m.created_at >= $3
   group by m.sender_id`,
)

/**
 * Messages of each sender that were accepted since then, in the workspace's time. For a connection whose planner is free.
 * Without `isWhole` the count stopped: each sender has had as many at least.
 */
export async function listTraffic(
  figures: Sql,
  workspaceId: string,
  { since, offsetMs }: { since: Date; offsetMs: number },
): Promise<{ senders: SenderTraffic[]; isWhole: boolean }> {
  const senders = await figures.rows(selectTraffic, [workspaceId, firstIdSince(since, offsetMs), since])
  const counted = senders.reduce((sum, { messages }) => sum + messages, 0)
  return { senders, isWhole: counted < TRAFFIC_COUNTED_MOST }
}
