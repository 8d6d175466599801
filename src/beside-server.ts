import type { Config } from './config.ts'
import { type Sql, statement } from './db.ts'
import type { Parts } from './parts.ts'

const WITH_PRIVATE_WEBHOOKS = 'doorcode, private webhooks allowed'

/**
 * What a process calls itself to the database, if not as all do (db.ts). A server tells by it what it was started to
 * allow, as long as it runs: `npm start` allows private webhooks whatever the setting says, and a command beside it must
 * not refuse its endpoints.
 */
export const connectionName = ({ roles, allowPrivateWebhooks }: Pick<Config, 'roles' | 'allowPrivateWebhooks'>) =>
  roles.size > 0 && allowPrivateWebhooks ? WITH_PRIVATE_WEBHOOKS : undefined

/** The parts of a command, which allows what a server that runs on its database allows. */
export async function asBesideServer(parts: Parts): Promise<Parts> {
  const { config, db } = parts
  if (config.allowPrivateWebhooks || !(await serverAllowsPrivateWebhooks(db))) return parts
  return { ...parts, config: { ...config, allowPrivateWebhooks: true } }
}

const serverAllowsPrivateWebhooks = async (db: Sql): Promise<boolean> =>
  (await db.row(findServer, [WITH_PRIVATE_WEBHOOKS])) !== undefined

const findServer = statement<{ pid: number }>(
  'find_server_that_allows_private_webhooks',
  'select pid from pg_stat_activity where datname = current_database() and application_name = $1 limit 1',
)
