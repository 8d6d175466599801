import { workspaceStatement } from '../lib/db/workspace-batch.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import type { ProviderNumber } from '../providers/provider.ts'
import { type SenderObstacle, senderObstacle } from './availability.ts'

/** `status`, `quality` and `throughput`: as WhatsApp names them. */
export type Sender = Omit<ProviderNumber, 'phone'> & {
  senderId: string
  accountId: string
  phoneNumber: string
  pausedAt: Date | null
  goneAt: Date | null
  /** A limit or a fault of WhatsApp holds back sending until this time at the latest. The time may have passed. */
  breakerOpenUntil: Date | null
  /** Why it cannot send; null when it can. */
  obstacle: SenderObstacle | null
}

const selectSenders = workspaceStatement<Omit<Sender, 'obstacle'> & { accountStatus: string }>(
  'list_senders_of_workspace',
  `select s.id as "senderId", s.account_id as "accountId", s.phone_number_id as "phoneNumberId",
     s.phone as "phoneNumber", s.verified_name as "verifiedName", s.status, s.quality, s.throughput,
     s.paused_at as "pausedAt", s.gone_at as "goneAt", a.status as "accountStatus",
     (select p.breaker_open_until from sender_pace p where p.sender_id = s.id) as "breakerOpenUntil"
   from senders s
   join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
   where s.workspace_id = $1 and a.status <> 'removed'
   order by s.phone, s.id`,
)

/**
 * Every sender of the workspace as of the last sync, including those that have left their account. Senders of removed
 * accounts are left out.
 */
export async function listSenders(sql: Sql, workspaceId: string): Promise<Sender[]> {
  const rows = await sql.rows(selectSenders, [workspaceId])
  return rows.map(({ accountStatus, ...sender }) => {
    const { status, pausedAt, goneAt } = sender
    const [senderPaused, senderGone] = [pausedAt !== null, goneAt !== null]
    const obstacle = senderObstacle({ senderStatus: status, senderPaused, senderGone, accountStatus })
    return { ...sender, obstacle: obstacle ?? null }
  })
}

export type SenderRef = { workspaceId: string; senderId: string }

const updatePaused = statement<{ id: string }>(
  'pause_or_resume_sender',
  `update senders set paused_at = case when $3::timestamptz is not null then coalesce(paused_at, $3) end
   where workspace_id = $1 and id = $2 returning id`,
)

/** Accepted messages wait until they expire. Returns false if the workspace has no such sender. */
export async function pauseSender(sql: Sql, { workspaceId, senderId }: SenderRef, now: Date): Promise<boolean> {
  return (await sql.row(updatePaused, [workspaceId, senderId, now])) !== undefined
}

/** Returns false if the workspace has no such sender. The caller wakes the submission after its commit. */
export const resumeSender = async (sql: Sql, { workspaceId, senderId }: SenderRef): Promise<boolean> =>
  (await sql.row(updatePaused, [workspaceId, senderId, null])) !== undefined

const selectWorkspaceOf = statement<{ workspaceId: string }>(
  'select_workspace_of_sender',
  'select workspace_id as "workspaceId" from senders where id = $1',
)

/** For the command line, which names only the sender. */
export const findWorkspaceOfSender = async (sql: Sql, senderId: string): Promise<string | undefined> =>
  (await sql.row(selectWorkspaceOf, [senderId]))?.workspaceId

export type EmulatorNumber = {
  senderId: string
  phoneNumberId: string
  graphUrl: string
  accountId: string
  wabaId: string
}

const MAX_EMULATOR_NUMBERS = 100

const selectEmulatorNumbers = statement<EmulatorNumber>(
  'list_numbers_with_their_graph',
  `select s.id as "senderId", s.phone_number_id as "phoneNumberId", a.graph_url as "graphUrl", a.id as "accountId", a.waba_id as "wabaId"
   from senders s
   join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
   where s.workspace_id = $1 and s.gone_at is null and a.status <> 'removed' and a.graph_url ~ '^http://(127[.]0[.]0[.]1|localhost|\\[::1\\])(:|/|$)'
   order by s.id limit ${MAX_EMULATOR_NUMBERS}`,
)

/** The workspace's senders whose Graph API is on this machine, where only an emulator can be. */
export const listEmulatorNumbers = (sql: Sql, workspaceId: string): Promise<EmulatorNumber[]> =>
  sql.rows(selectEmulatorNumbers, [workspaceId])
