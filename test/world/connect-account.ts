import {
  type AccountReading,
  type ConnectedAccount,
  connectAccount as storeAccount,
  readAccount,
} from '../../src/accounts/accounts.ts'
import type { NewAccount } from '../../src/accounts/new-account.ts'
import type { Parts } from '../../src/runtime/parts.ts'

type ConnectParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'provider' | 'wake'>

/** As "account connect" does it, without an audit entry. */
export const connectAccount = async (parts: ConnectParts, newAccount: NewAccount): Promise<ConnectedAccount> =>
  storeReading(parts, await readAccount(parts, newAccount))

export async function storeReading(parts: ConnectParts, reading: AccountReading): Promise<ConnectedAccount> {
  const { connected } = await parts.db.transaction((tx) => storeAccount(tx, parts, reading))
  parts.wake('submit')
  return connected
}
