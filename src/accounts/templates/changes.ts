import { type Sql, batch, statement } from '../../lib/db/pool.ts'
import { newId } from '../../lib/ids.ts'
import type { TemplateComponent, TemplateId } from '../../providers/provider.ts'
import { readableText } from '../../providers/template-text.ts'

type TemplateChange = {
  at: Date
  field: (typeof FIELDS)[number] | 'text'
  /** Null when the template is new. */
  before: string | null
  /** Null when the template is gone. */
  after: string | null
}

export type AccountRef = { workspaceId: string; accountId: string }

/** In the order in which differences are recorded. */
const FIELDS = ['status', 'category', 'quality', 'rejected_reason'] as const
type TemplateState = Record<(typeof FIELDS)[number], string | null> & { components: TemplateComponent[] }

const selectChanged = statement<TemplateId & { before: TemplateState | null; after: TemplateState }>(
  'select_changed_templates',
  `select n.name, n.language, to_jsonb(t) as before,
     to_jsonb(n) || jsonb_build_object('rejected_reason', n."rejectedReason") as after
   from jsonb_to_recordset($3) as n (
     name text, language text, status text, category text, quality text, "rejectedReason" text, components jsonb)
   left join lateral (
     select status, category, quality, rejected_reason, components from templates t
     where t.workspace_id = $1 and t.account_id = $2 and t.name = n.name and t.language = n.language limit 1) t on true
   where (t.status, t.category, t.quality, t.rejected_reason, t.components)
     is distinct from (n.status, n.category, n.quality, n."rejectedReason", n.components)
   order by n.name, n.language`,
)

/** Records what the batch of storeListing is about to change. The account's row must be locked. */
export async function recordDifferences(
  tx: Sql,
  account: AccountRef,
  { rows, at }: { rows: string; at: Date },
): Promise<void> {
  const changed = await tx.rows(selectChanged, [account.workspaceId, account.accountId, rows])
  const changes = changed.flatMap(({ before, after, ...id }) =>
    differences(before, after).map((change) => ({ ...id, ...change })),
  )
  await recordTemplateChanges(tx, account, { changes, at })
}

/** Records the templates that were deleted, with their last status. */
export const recordRemovals = (
  tx: Sql,
  account: AccountRef,
  { gone, at }: { gone: readonly (TemplateId & { status: string })[]; at: Date },
): Promise<void> => {
  const changes = gone.map(({ status, ...id }) => ({ ...id, field: 'status' as const, before: status, after: null }))
  return recordTemplateChanges(tx, account, { changes, at })
}

type Difference = Omit<TemplateChange, 'at'>

/** Records only the status of a new template. */
function differences(before: TemplateState | null, after: TemplateState): Difference[] {
  if (before === null) return [{ field: 'status', before: null, after: after.status }]
  const values: Difference[] = [
    ...FIELDS.map((field) => ({ field, before: before[field], after: after[field] })),
    { field: 'text', before: readableText(before.components), after: readableText(after.components) },
  ]
  return values.filter((each) => each.before !== each.after)
}

const insertChanges = statement(
  'insert_template_changes',
  `insert into template_changes (id, workspace_id, account_id, name, language, at, field, before, after)
   select c.id, $1, $2, c.name, c.language, $4, c.field, c.before, c.after
   from jsonb_to_recordset($3) as c (id uuid, name text, language text, field text, before text, after text)`,
)

export async function recordTemplateChanges(
  tx: Sql,
  { workspaceId, accountId }: AccountRef,
  { changes, at }: { changes: readonly (TemplateId & Difference)[]; at: Date },
): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map((change) => ({ id: newId(), ...change }))
  await tx.rows(insertChanges, [workspaceId, accountId, batch(rows), at])
}

const MAX_CHANGES_SHOWN = 100

const selectChanges = statement<TemplateChange>(
  'list_template_changes',
  `select at, field, before, after from template_changes
   where workspace_id = $1 and account_id = $2 and name = $3 and language = $4
   order by id desc limit ${MAX_CHANGES_SHOWN}`,
)

/** Latest first. Changes outlive their template. */
export const listTemplateChanges = (
  sql: Sql,
  { workspaceId, accountId, name, language }: AccountRef & TemplateId,
): Promise<TemplateChange[]> => sql.rows(selectChanges, [workspaceId, accountId, name, language])
