import { type Sql, statement } from '../../lib/db/pool.ts'
import { resourceOf } from './actions.ts'
import { isUuid } from '../../lib/ids.ts'

export type TargetName = { name: string; isDeleted: boolean }

/** $2: ids, each of one row; $3: the public ids of API keys. Rows of deleted targets stay, and so do their names. */
const selectNames = statement<TargetName & { target: string }>(
  'list_audit_target_names',
  `select target.id::text as target, found.name, found.is_deleted as "isDeleted" from unnest($2::uuid[]) target (id)
   cross join lateral (
     (select e.url as name, e.deleted_at is not null as is_deleted from webhook_endpoints e
      where e.workspace_id = $1 and e.id = target.id limit 1)
     union all
     (select s.phone, a.status = 'removed' from senders s
      join provider_accounts a on a.workspace_id = s.workspace_id and a.id = s.account_id
      where s.workspace_id = $1 and s.id = target.id limit 1)
     union all
     (select a.waba_id, a.status = 'removed' from provider_accounts a where a.workspace_id = $1 and a.id = target.id limit 1)
     union all
     (select h.name, h.deleted_at is not null from auth_hooks h where h.workspace_id = $1 and h.id = target.id limit 1)
     union all
     (select m.recipient, false from messages m where m.workspace_id = $1 and m.id = target.id limit 1)
     union all
     (select c.reference, false from confirmations c where c.workspace_id = $1 and c.id = target.id limit 1)) found
   union all
   select target.id, found.name, false from unnest($3::text[]) target (id)
   cross join lateral (
     select k.name from api_keys k where k.workspace_id = $1 and k.public_id = target.id limit 1) found`,
)

/** Names by target, for targets that are ids in the workspace. */
export async function findTargetNames(
  sql: Sql,
  workspaceId: string,
  entries: readonly { action: string; target: string }[],
): Promise<Map<string, TargetName>> {
  const keys = entries.filter(({ action }) => resourceOf(action) === 'key').map(({ target }) => target)
  const ids = entries.map(({ target }) => target).filter(isUuid)
  if (keys.length + ids.length === 0) return new Map()
  const rows = await sql.rows(selectNames, [workspaceId, [...new Set(ids)], [...new Set(keys)]])
  return new Map(rows.map(({ target, ...name }) => [target, name]))
}
