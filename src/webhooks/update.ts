import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import type { Parts } from '../runtime/parts.ts'
import { type EndpointId, getEndpoint, missingEndpoint } from './endpoints.ts'
import { endAllPauses } from './retry.ts'
import { type EndpointChange, type EndpointSettings, checkSettings } from './settings.ts'

/**
 * Runs before the transaction that stores the change: it asks DNS, and ends the pauses that the former URL caused. They do not
 * apply to a new one. The transaction then begins a release.
 */
export async function prepareUpdate(
  parts: Pick<Parts, 'db' | 'clock' | 'config' | 'log'>,
  { workspaceId, endpointId, ...change }: EndpointId & EndpointChange,
): Promise<EndpointId & EndpointChange> {
  const id = { workspaceId, endpointId }
  const { url: formerUrl } = await getEndpoint(parts.db, id)
  const checked = await checkSettings(change, parts, formerUrl)
  if (checked.url !== undefined && checked.url !== formerUrl) await endAllPauses(parts, id)
  return { ...id, ...checked }
}

/** Applies a change that `prepareUpdate` returned. Pending events are tried at a new URL immediately. */
export async function updateEndpoint(
  tx: Sql,
  clock: Clock,
  { workspaceId, endpointId, ...change }: EndpointId & EndpointChange,
): Promise<{ before: EndpointSettings; after: EndpointSettings; isChanged: boolean }> {
  const before = await tx.row(lockSettings, [workspaceId, endpointId])
  if (!before) throw missingEndpoint(endpointId)
  const after = {
    url: change.url ?? before.url,
    description: change.description ?? before.description,
    eventTypes: change.eventTypes === undefined ? before.eventTypes : change.eventTypes,
  }
  const isChanged = !isDeepStrictEqual(before, after)
  const { url, description, eventTypes } = after
  if (isChanged) await tx.rows(updateSettings, [workspaceId, endpointId, url, description, eventTypes, clock.now()])
  return { before, after, isChanged }
}

export const lockSettings = statement<EndpointSettings>(
  'lock_endpoint_settings',
  `select url, description, event_types as "eventTypes" from webhook_endpoints
   where workspace_id = $1 and id = $2 and deleted_at is null for no key update`,
)

/** Failures of the previous URL say nothing about the new one. */
const updateSettings = statement(
  'update_endpoint_settings',
  `update webhook_endpoints set url = $3, description = $4, event_types = $5,
     event_types_changed_at = case when event_types is not distinct from $5 then event_types_changed_at else $6::timestamptz end,
     url_changed_at = case when url = $3 then url_changed_at else $6::timestamptz end,
     failing_since = case when url = $3 then failing_since end,
     release_at = case when url = $3 then release_at when status = 'enabled' then $6 end,
     release_failures = case when url = $3 then release_failures else 0 end
   where workspace_id = $1 and id = $2`,
)
