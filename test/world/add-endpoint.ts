import type { Parts } from '../../src/runtime/parts.ts'
import { addEndpoint as addCheckedEndpoint } from '../../src/webhooks/endpoints.ts'
import { type EndpointChange, checkNewSettings } from '../../src/webhooks/settings.ts'

/** As "endpoint add" does it, without an audit entry. */
export async function addEndpoint(
  parts: Pick<Parts, 'db' | 'clock' | 'seal' | 'config' | 'log'>,
  { workspaceId, ...settings }: { workspaceId: string; url: string } & EndpointChange,
): Promise<{ endpointId: string; secret: string }> {
  const checked = await checkNewSettings(settings, parts)
  return parts.db.transaction((tx) => addCheckedEndpoint(tx, parts, { workspaceId, ...checked }))
}
