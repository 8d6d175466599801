import { type Sql, statement } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import { secretsOf } from './delivery/attempt.ts'
import type { Target } from '../events/record.ts'

/** The path of an instance's own receiver, to which a sandbox can send its webhooks. */
export const TEST_RECEIVER_PATH = '/test-receiver'

export const testReceiverUrl = ({ publicUrl }: Pick<Parts['config'], 'publicUrl'>, workspaceId: string): string =>
  `${publicUrl}${TEST_RECEIVER_PATH}/${workspaceId}`

/** The secrets of the workspace's endpoints that send to its test receiver. Empty for an unknown workspace. */
export async function findTestReceiverSecrets(
  { db, seal, clock, config }: Pick<Parts, 'seal' | 'clock' | 'config'> & { db: Sql },
  workspaceId: string,
): Promise<string[]> {
  const endpoints = await db.rows(selectSecrets, [workspaceId, testReceiverUrl(config, workspaceId)])
  return endpoints.flatMap((endpoint) => secretsOf(seal, endpoint, clock.now()))
}

const selectSecrets = statement<Omit<Target, 'workspaceId' | 'url'>>(
  'list_secrets_of_test_receiver',
  `select id as "endpointId", secret, previous_secret as "previousSecret", previous_secret_until as "previousSecretUntil"
   from webhook_endpoints where workspace_id = $1 and url = $2 and deleted_at is null`,
)
