import { type NewEvent, recordEvents } from '../../events/record.ts'
import { type Sql, type Statement, batch, changes, statement } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { type Seal, UnsealError } from '../../lib/seal.ts'
import { stopAwaitingDelivery } from '../../messages/reports/undelivered.ts'
import { tables } from '../../operations/columns.ts'
import { FIRST_MESSAGE, VERIFICATION_COLUMNS, type VerificationRow, verificationView } from './view.ts'

export type LockedVerification = VerificationRow & {
  clockOffsetMs: number
  /** Sealed. Null when the verification is over. */
  codeKey: Buffer | null
  codeHash: Buffer | null
  /** Of its messages. */
  deliverWithinSeconds: number | null
}

type VerificationKey = { workspaceId: string; id: string }

/** Locks the rows, by `nameOf`: the checks of a verification follow each other, whatever nodes they reach. */
export async function lockVerifications(
  tx: Sql,
  verifications: readonly VerificationKey[],
): Promise<Map<string, LockedVerification>> {
  // Each once and in one order, as inLockOrder. Several workspaces may ask for one id.
  const named = new Map(verifications.map((each) => [nameOf(each), { workspace_id: each.workspaceId, id: each.id }]))
  const inOrder = [...named.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
  const rows = await tx.rows(lock, [batch(inOrder)])
  return new Map(rows.map((row) => [nameOf(row), row]))
}

export const nameOf = ({ workspaceId, id }: VerificationKey): string => `${workspaceId} ${id}`

const lock: Statement<LockedVerification> = statement(
  'lock_verifications',
  `select ${VERIFICATION_COLUMNS}, v.code_key as "codeKey", v.code_hash as "codeHash", m.deliver_within_seconds as "deliverWithinSeconds",
     (select w.clock_offset_ms from workspaces w where w.id = v.workspace_id) as "clockOffsetMs"
   from jsonb_to_recordset($1) as r (workspace_id uuid, id uuid)
   cross join lateral (
     select * from otp_verifications v where v.workspace_id = r.workspace_id and v.id = r.id limit 1 for no key update) v
   ${FIRST_MESSAGE}`,
)

const { code_key: contextOf } = tables.otp_verifications.sealed

/** Returns undefined if this process does not know the instance key. */
export function openCodeKey(
  seal: Pick<Seal, 'open'>,
  { id, codeKey }: { id: string; codeKey: Buffer },
): string | undefined {
  try {
    return seal.open(codeKey, contextOf(id))
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

/**
 * Stores the new states of locked verifications. The end of one erases what its code is made from and compared with, ends the wait
 * for its delivery, and records its event.
 */
export async function storeVerifications(tx: Sql, now: Date, changed: readonly LockedVerification[]): Promise<void> {
  if (changed.length === 0) return
  const rows = changed.map(({ id, status, wrongAt, endedAt }) => ({
    id,
    status,
    wrong_at: wrongAt,
    ended_at: endedAt,
  }))
  await tx.rows(write, [changes(rows)])
  const awaiting = changed.filter(({ endedAt, deliverWithinSeconds }) => endedAt && deliverWithinSeconds !== null)
  if (awaiting.length > 0) await stopAwaitingDelivery(tx, awaiting)
  await recordEvents(tx, now, changed.flatMap(eventsOf))
}

/** Pure: "verify" derives the event with it. */
export function eventsOf(verification: VerificationRow): NewEvent[] {
  const { id, workspaceId, status, endedAt } = verification
  if (!endedAt) return []
  const type = status === 'approved' ? 'otp.verified' : 'otp.verification_failed'
  const data = { ...verificationView(verification), occurredAt: endedAt.toISOString() }
  return [{ id: newId(), workspaceId, type, messageId: id, data }]
}

/** The id is enough: lockVerifications has read these rows by workspace_id and id. */
const write = statement(
  'write_verifications',
  `update otp_verifications v
   set (status, wrong_at, ended_at, code_key, code_hash, due_at, tries) = (
     select r.status, r.wrong_at, r.ended_at, case when r.ended_at is null then v.code_key end,
       case when r.ended_at is null then v.code_hash end, case when r.ended_at is null then v.due_at end, 0
     from jsonb_to_record($1::jsonb -> v.id::text) as r (status text, wrong_at timestamptz[], ended_at timestamptz))
   where v.id = any (array (select jsonb_object_keys($1::jsonb)::uuid))`,
)
