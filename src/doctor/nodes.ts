import { MINUTE_MS } from '../clock.ts'
import type { Role } from '../config.ts'
import type { ListedNode } from '../jobs/node.ts'
import { type Found, durationText } from './finding.ts'

/** Another worker takes over from a dead node within 11 seconds. */
const MAX_NODE_SILENT_MS = MINUTE_MS

const SHARED = {
  publicUrl: 'DOORCODE_PUBLIC_URL',
  rateLimit: 'DOORCODE_RATE_LIMIT',
  trustedProxies: 'DOORCODE_TRUSTED_PROXIES',
  allowPrivateWebhooks: 'DOORCODE_ALLOW_PRIVATE_WEBHOOKS',
} as const

export function judgeNodes(nodes: readonly ListedNode[]): Found[] {
  const alive = nodes.filter(({ isAlive }) => isAlive)
  const silent = nodes.filter(({ isAlive, silentMs }) => !isAlive && silentMs > MAX_NODE_SILENT_MS)
  const found: Found[] = silent.map(({ nodeId, silentMs }) => ({
    code: 'node_silent',
    nodeId,
    duration: durationText(silentMs),
  }))
  if (alive.length === 0) return [{ code: 'nothing_runs' }, ...found]
  const has = (role: Role): boolean => alive.some(({ roles }) => roles.includes(role))
  if (!has('worker')) found.push({ code: 'no_worker' })
  if (!has('api')) found.push({ code: 'no_api' })
  if (!has('dashboard')) found.push({ code: 'no_dashboard' })
  const versions = [...new Set(alive.map(({ version }) => version))].sort()
  if (versions.length > 1) found.push({ code: 'versions_differ', versions: versions.join(', ') })
  for (const setting of differingSettings(alive)) found.push({ code: 'settings_differ', setting })
  return found
}

/** Names of the settings that should be the same on all nodes and are not. */
export const differingSettings = (nodes: readonly ListedNode[]): string[] =>
  (Object.keys(SHARED) as (keyof typeof SHARED)[])
    .filter((key) => {
      const values = nodes.map(({ settings }) => settings[key]).filter((value) => value !== undefined)
      return new Set(values.map((value) => JSON.stringify(value))).size > 1
    })
    .map((key) => SHARED[key])
