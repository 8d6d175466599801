import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import { FIRST_ID } from '../../../lib/ids.ts'
import { type AuditEntry, readEntries, replacerOf, replacerOfNumbers } from './mentions.ts'
import type { Person } from './person.ts'

export const FIRST_ENTRY = FIRST_ID

/** From confirmations of other numbers. Those of this number keep the ids until they are erased, because reports are found by them. */
export async function eraseUserIds(tx: Sql, { workspaceId, userIds, phones }: Person): Promise<void> {
  if (userIds.length > 0) await tx.rows(clearUserIds, [workspaceId, userIds, phones])
}

const clearUserIds = statement(
  'erase_user_ids',
  `update confirmations set customer_user_id = null
   where workspace_id = $1 and recipient <> all ($3::text[]) and id = any (array (
     select id from confirmations where customer_user_id = any ($2::text[])))`,
)

/** The pace of sending to the number, and its block, or only the reason of a block that is kept. */
export async function eraseBlock(
  tx: Sql,
  { workspaceId, phones }: Person,
  { keepBlock }: { keepBlock: boolean },
): Promise<{ blocks: number; blockReasons: number }> {
  await tx.rows(erasePace, [workspaceId, phones])
  const changed = await tx.rows(keepBlock ? eraseReason : removeBlock, [workspaceId, phones])
  return keepBlock ? { blocks: 0, blockReasons: changed.length } : { blocks: changed.length, blockReasons: 0 }
}

const erasePace = statement(
  'erase_pair_pace',
  `delete from pair_pace where recipient = any ($2::text[]) and sender_id = any (array (
     select id from senders where workspace_id = $1))`,
)

const removeBlock: Statement<object> = statement(
  'remove_block_of_recipient',
  'delete from blocked_recipients where workspace_id = $1 and phone = any ($2) returning 1',
)

const eraseReason: Statement<object> = statement(
  'erase_reason_of_block',
  `update blocked_recipients set reason = null
   where workspace_id = $1 and phone = any ($2) and reason is not null returning 1`,
)

/** Replaces the number in the next entries of the audit log. `next`: undefined after the last entry. */
export async function eraseFromAuditLog(
  tx: Sql,
  person: Person,
  { after, pseudonym }: { after: string; pseudonym: string },
): Promise<{ erased: number; next: string | undefined }> {
  const { workspaceId } = person
  const { entries, next } = await readEntries(tx, workspaceId, after)
  return { erased: await rewrite(tx, workspaceId, entries, await replacerOf(tx, person, pseudonym)), next }
}

/**
 * Does the same for every number, in entries that may name a recipient. Call it while the workspace's senders are stored: their
 * own numbers help to read local ones.
 */
export async function eraseNumbersFromAuditLog(
  tx: Sql,
  {
    workspaceId,
    after,
    mayNameRecipient,
  }: { workspaceId: string; after: string; mayNameRecipient: (action: string) => boolean },
): Promise<{ next: string | undefined }> {
  const { entries, next } = await readEntries(tx, workspaceId, after)
  const chosen = entries.filter(({ action }) => mayNameRecipient(action))
  await rewrite(tx, workspaceId, chosen, await replacerOfNumbers(tx, workspaceId))
  return { next }
}

/** Returns how many entries changed. */
async function rewrite(
  tx: Sql,
  workspaceId: string,
  entries: readonly AuditEntry[],
  replace: (value: unknown) => unknown,
): Promise<number> {
  let erased = 0
  for (const { id, target, before, after } of entries) {
    const values = [target, before, after].map((value) => asText(replace(value)))
    if (JSON.stringify(values) === JSON.stringify([target, before, after].map(asText))) continue
    await tx.rows(writeEntry, [workspaceId, id, ...values])
    erased += 1
  }
  return erased
}

const asText = (value: unknown): string | null =>
  typeof value === 'string' || value === null ? value : JSON.stringify(value)

const writeEntry = statement(
  'erase_from_audit_entry',
  'update audit_log set target = $3, before = $4, after = $5 where workspace_id = $1 and id = $2',
)
