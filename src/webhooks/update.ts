import { isDeepStrictEqual } from 'node:util'
import { type Sql, statement } from '../db/pool.ts'
import type { Parts } from '../parts.ts'
import { type EndpointId, getEndpoint, missingEndpoint } from './endpoints.ts'
import { type EndpointChange, type EndpointSettings, checkSettings } from './settings.ts'

/** Changes the given settings. Waiting deliveries go to a new URL at once. `alongside` runs in the same transaction. */
export async function updateEndpoint(
  { db, clock, config }: Pick<Parts, 'db' | 'clock' | 'config'>,
  { workspaceId, endpointId, ...change }: EndpointId & EndpointChange,
  alongside?: (tx: Sql, change: { before: EndpointSettings; after: EndpointSettings }) => Promise<void>,
): Promise<EndpointSettings> {
  const { url } = await getEndpoint(db, { workspaceId, endpointId })
  const checked = await checkSettings(change, config, url)
  return db.transaction(async (tx) => {
    const before = await tx.row(lockSettings, [workspaceId, endpointId])
    if (!before) throw missingEndpoint(endpointId)
    const after = {
      url: checked.url ?? before.url,
      description: checked.description ?? before.description,
      eventTypes: checked.eventTypes === undefined ? before.eventTypes : checked.eventTypes,
    }
    if (isDeepStrictEqual(before, after)) return after
    const { description, eventTypes } = after
    await tx.rows(updateSettings, [workspaceId, endpointId, after.url, description, eventTypes, clock.now()])
    await alongside?.(tx, { before, after })
    return after
  })
}

const lockSettings = statement<EndpointSettings>(
  'lock_endpoint_settings',
  `select url, description, event_types as "eventTypes" from webhook_endpoints
   where workspace_id = $1 and id = $2 and deleted_at is null for no key update`,
)

/** Failures of the previous URL say nothing about the new one. */
const updateSettings = statement(
  'update_endpoint_settings',
  `update webhook_endpoints set url = $3, description = $4, event_types = $5,
     url_changed_at = case when url = $3 then url_changed_at else $6::timestamptz end,
     failing_since = case when url = $3 then failing_since end,
     release_at = case when url = $3 then release_at when status = 'enabled' then $6 end,
     release_failures = case when url = $3 then release_failures else 0 end
   where workspace_id = $1 and id = $2`,
)
