import type { Config } from '../config.ts'
import { type ListedNode, type NodeSettings, nodeSettings } from '../jobs/node.ts'
import type { Workspace } from '../workspaces/workspaces.ts'
import type { NewFinding } from './finding.ts'

type Setup = { config: Config; nodes: readonly ListedNode[]; workspaces: readonly Workspace[] }

/**
 * Finds settings that are valid but risky, in the running nodes or, if none runs, in this process. Ignores such risks while all
 * workspaces are sandboxes.
 */
export function judgeSettings({ config, nodes, workspaces }: Setup): NewFinding[] {
  const alive = nodes.filter(({ isAlive }) => isAlive)
  const isLive = workspaces.some(({ sandbox }) => !sandbox)
  const inUse: readonly NodeSettings[] =
    alive.length > 0 ? alive.map(({ settings }) => settings) : [nodeSettings(config)]
  const found = isLive ? inUse.flatMap(risksOf) : []
  const limited = alive.filter(({ roles, settings }) => roles.includes('api') && settings.rateLimit === 'memory')
  if (limited.length > 1) found.push({ code: 'rate_limit_per_node', nodes: limited.length })
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()]
}

const ALL_ADDRESSES = new Set(['0.0.0.0', '::'])

function risksOf({ publicUrl, host, trustedProxies, allowPrivateWebhooks }: NodeSettings): NewFinding[] {
  const found: NewFinding[] = []
  if (publicUrl !== undefined && isOnThisMachine(publicUrl)) found.push({ code: 'public_url_missing' })
  else if (publicUrl?.startsWith('http:')) found.push({ code: 'public_url_plain', url: publicUrl })
  const isBehindProxy = publicUrl?.startsWith('https:') || (host !== undefined && ALL_ADDRESSES.has(host))
  if (isBehindProxy && trustedProxies?.length === 0) found.push({ code: 'proxies_missing' })
  if (allowPrivateWebhooks) found.push({ code: 'private_webhooks' })
  return found
}

/** The default when the setting is empty. */
export const isOnThisMachine = (url: string): boolean => /^https?:\/\/(127\.|localhost(:|$)|\[::1\])/.test(url)
