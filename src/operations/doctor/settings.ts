import { type Config, defaultPublicUrl } from '../../lib/config.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import { type ListedNode, type NodeSettings, nodeSettings } from '../../runtime/jobs/node.ts'
import type { Seal } from '../../lib/seal.ts'
import { missingKeys } from '../secrets/instance.ts'
import type { Workspace } from '../../workspaces/workspaces.ts'
import type { NewFinding } from './finding.ts'

type Setup = {
  config: Config
  nodes: readonly ListedNode[]
  workspaces: readonly Workspace[]
  operatorsWithoutSecondFactor: number
}

/**
 * Finds settings that are valid but risky, in the running nodes or, if none runs, in this process. Ignores such risks while all
 * workspaces are sandboxes.
 */
export function checkSettings({
  config,
  nodes,
  workspaces,
  operatorsWithoutSecondFactor: number,
}: Setup): NewFinding[] {
  const alive = nodes.filter(({ isAlive }) => isAlive)
  const isLive = workspaces.some(({ sandbox }) => !sandbox)
  const inUse: readonly NodeSettings[] =
    alive.length > 0 ? alive.map(({ settings }) => settings) : [nodeSettings(config)]
  const found = isLive ? inUse.flatMap(risksOf) : []
  if (isLive && number > 0) found.push({ code: 'operators_without_second_factor', number })
  const limited = alive.filter(({ roles, settings }) => roles.includes('api') && settings.rateLimit === 'memory')
  if (limited.length > 1) found.push({ code: 'rate_limit_per_node', nodes: limited.length })
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()]
}

export const countOperatorsWithoutSecondFactor = async (sql: Sql): Promise<number> =>
  (await sql.row(countWithoutSecondFactor))?.number ?? 0

const countWithoutSecondFactor = statement<{ number: number }>(
  'count_operators_without_second_factor',
  `select count(*)::int as number from operators o
   where (select u."twoFactorEnabled" from auth."user" u where u."id" = o.user_id) is not true`,
)

const ALL_ADDRESSES = new Set(['0.0.0.0', '::'])

function risksOf({ publicUrl, host, port, trustedProxies, allowPrivateWebhooks }: NodeSettings): NewFinding[] {
  const found: NewFinding[] = []
  if (isOnThisMachine(publicUrl))
    found.push(
      publicUrl === defaultPublicUrl({ host, port })
        ? { code: 'public_url_missing' }
        : { code: 'public_url_loopback', url: publicUrl },
    )
  else if (publicUrl.startsWith('http:')) found.push({ code: 'public_url_plain', url: publicUrl })
  const isBehindProxy = publicUrl.startsWith('https:') || ALL_ADDRESSES.has(host)
  if (isBehindProxy && trustedProxies.length === 0) found.push({ code: 'proxies_missing' })
  if (allowPrivateWebhooks) found.push({ code: 'private_webhooks' })
  return found
}

export const isOnThisMachine = (url: string): boolean => /^https?:\/\/(127\.|localhost(:|$)|\[::1\])/.test(url)

/** `oldKeys`: fingerprints of the keys that a rotation has replaced and still needs. */
export function checkKeys(oldKeys: readonly string[], seal: Pick<Seal, 'keys' | 'current'>): NewFinding[] {
  const missing = missingKeys(oldKeys, seal.keys)
  if (missing.length > 0) return [{ code: 'former_key_missing', keys: missing.join(', ') }]
  const [newest] = seal.keys
  const { fingerprint: current } = seal.current()
  const found: NewFinding[] = []
  if (oldKeys.length > 0) found.push({ code: 'rotation_unfinished', keys: oldKeys.join(', ') })
  if (newest && newest.fingerprint !== current) found.push({ code: 'key_not_in_use', key: newest.fingerprint, current })
  return found
}
