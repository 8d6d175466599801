import { asWritten, coded } from '../../../locales/text.ts'
import { MINUTE_MS } from '../../lib/clock.ts'
import type { Role } from '../../lib/config.ts'
import type { FrozenNode, ListedNode } from '../../runtime/jobs/node.ts'
import { type NewFinding, durationText } from './finding.ts'

/** Another worker takes over from a dead node within about 11 seconds. */
export const MAX_NODE_SILENT_MS = MINUTE_MS

/** Returns undefined for a node that removes nothing and sends no alerts: only workers do. */
const ofWorker = ({ roles, settings }: ListedNode) => (roles.includes('worker') ? settings : undefined)
const keptBy = (node: ListedNode) => ofWorker(node)?.keep

/** Settings that should be the same on all nodes. Undefined on a node that does not use the setting. */
const SHARED: Readonly<Record<string, (node: ListedNode) => unknown>> = {
  DOORCODE_PUBLIC_URL: ({ settings }) => settings.publicUrl,
  DOORCODE_RATE_LIMIT: ({ settings }) => settings.rateLimit,
  DOORCODE_TRUSTED_PROXIES: ({ settings }) => settings.trustedProxies,
  DOORCODE_ALLOW_PRIVATE_WEBHOOKS: ({ settings }) => settings.allowPrivateWebhooks,
  DOORCODE_ALERT_URL: (node) => ofWorker(node)?.alertTarget,
  DOORCODE_KEEP_CONTENT_DAYS: (node) => keptBy(node)?.contentDays,
  DOORCODE_KEEP_RECORDS_DAYS: (node) => keptBy(node)?.recordsDays,
  DOORCODE_KEEP_AUDIT_DAYS: (node) => keptBy(node)?.auditDays,
}

export function checkNodes(nodes: readonly ListedNode[], frozen: readonly FrozenNode[] = []): NewFinding[] {
  const alive = nodes.filter(({ isAlive }) => isAlive)
  const found = frozen.map(
    ({ nodeId, address, silentMs }): NewFinding => ({
      code: 'node_frozen',
      nodeId,
      address: address === null ? coded('doctor.database_machine') : asWritten(address),
      duration: durationText(silentMs),
    }),
  )
  for (const { nodeId, isAlive, silentMs } of nodes)
    if (!isAlive && silentMs > MAX_NODE_SILENT_MS && !frozen.some((each) => each.nodeId === nodeId))
      found.push({ code: 'node_silent', nodeId, duration: durationText(silentMs) })
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
  Object.entries(SHARED).flatMap(([setting, valueOf]) => {
    const values = nodes.map(valueOf).filter((value) => value !== undefined)
    return new Set(values.map((value) => JSON.stringify(value))).size > 1 ? [setting] : []
  })
