import { SECOND_MS, later } from '../../lib/clock.ts'
import { workspaceStatement } from '../../lib/db/workspace-batch.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { firstIdAt } from '../../lib/ids.ts'
import type { TemplateId } from '../../providers/provider.ts'

type DeletedTemplate = TemplateId & { wabaId: string }

/** How many messages of the workspace are searched for templates, latest first. */
const MAX_SEARCHED = 300
const MAX_FOUND = 20

const selectDeletedInUse = workspaceStatement<DeletedTemplate>(
  'list_deleted_templates_in_use',
  `with recent as materialized (
     select template_name, template_language, content from messages
     where workspace_id = $1 and id >= $2 and id < $3 order by id desc limit ${MAX_SEARCHED})
   select d.name, d.language, a.waba_id as "wabaId"
   from provider_accounts a
   cross join lateral (
     select name, language from template_changes
     where workspace_id = $1 and account_id = a.id and id >= $2 and field = 'status' and after is null
       and not exists (
         select from templates t
         where t.account_id = a.id and t.name = template_changes.name and t.language = template_changes.language)
     union
     select name, language from templates
     where workspace_id = $1 and account_id = a.id and status in ('DELETED', 'PENDING_DELETION')) d
   where a.workspace_id = $1 and a.status <> 'removed'
     and exists (
       select from recent
       where coalesce(template_name, content ->> 'name') = d.name and coalesce(template_language, content ->> 'language') = d.language)
   order by d.name, d.language limit ${MAX_FOUND}`,
)

/** Deleted templates that one of the latest messages has used since the deletion. */
export const listDeletedInUse = (
  sql: Sql,
  workspaceId: string,
  { since, now }: { since: Date; now: Date },
): Promise<DeletedTemplate[]> =>
  sql.rows(selectDeletedInUse, [workspaceId, firstIdAt(since), firstIdAt(later(now, SECOND_MS))])
