import type { Sql } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import type { AccountReading } from './accounts.ts'
import { findElsewhere, lockAccountId } from './elsewhere.ts'
import { removeAccount } from './remove.ts'
import type { AccountRef } from './templates/changes.ts'

/**
 * Removes the account from the other workspace that has it, before `connectAccount` in the same transaction. Returns where it
 * was.
 */
export async function takeOver(
  tx: Sql,
  parts: Pick<Parts, 'clock' | 'seal'>,
  { account }: AccountReading,
): Promise<AccountRef | undefined> {
  await lockAccountId(tx, account)
  const elsewhere = await findElsewhere(tx, account)
  if (elsewhere) await removeAccount(tx, parts, { ...elsewhere, wabaId: account.wabaId })
  return elsewhere
}
