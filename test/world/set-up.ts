import {
  type AccountReading,
  type ConnectedAccount,
  connectAccount as storeAccount,
  readAccount,
} from '../../src/accounts/accounts.ts'
import type { NewAccount } from '../../src/accounts/new-account.ts'
import type { Parts } from '../../src/runtime/parts.ts'
import { addEndpoint as addCheckedEndpoint } from '../../src/webhooks/endpoints.ts'
import { type EndpointChange, checkNewSettings } from '../../src/webhooks/settings.ts'

/** What commands do, without an audit entry. */

type ConnectParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'provider' | 'wake'>

/** As "account connect" does it. */
export const connectAccount = async (parts: ConnectParts, newAccount: NewAccount): Promise<ConnectedAccount> =>
  storeReading(parts, await readAccount(parts, newAccount))

export async function storeReading(parts: ConnectParts, reading: AccountReading): Promise<ConnectedAccount> {
  const { connected } = await parts.db.transaction((tx) => storeAccount(tx, parts, reading))
  parts.wake('submit')
  return connected
}

/** As "endpoint add" does it. */
export async function addEndpoint(
  parts: Pick<Parts, 'db' | 'clock' | 'seal' | 'config' | 'log'>,
  { workspaceId, ...settings }: { workspaceId: string; url: string } & EndpointChange,
): Promise<{ endpointId: string; secret: string }> {
  const checked = await checkNewSettings(settings, parts)
  return parts.db.transaction((tx) => addCheckedEndpoint(tx, parts, { workspaceId, ...checked }))
}
