import { type Sql, batch, statement } from '../db.ts'
import { newId } from '../ids.ts'
import type { TemplateComponent, TemplateId } from '../providers/provider.ts'
import { textOf } from './text.ts'

/** What is followed of a template. */
export type ChangedField = 'status' | 'category' | 'quality' | 'rejected_reason' | 'text'

export type TemplateChange = {
  /** Null in `before`: it was not there; in `after`: it is gone. */
  at: Date
  field: ChangedField
  before: string | null
  after: string | null
}

export type AccountOf = { workspaceId: string; accountId: string }

type Side = {
  status: string
  category: string
  quality: string | null
  rejected_reason: string | null
  components: TemplateComponent[]
}

type ChangedRow = TemplateId & { before: Side | null; after: Side }

const side = (of: string): string =>
  `json_build_object('status', ${of}.status, 'category', ${of}.category, 'quality', ${of}.quality,
     'rejected_reason', ${of}.rejected_reason, 'components', ${of}.components)`

const selectChanged = statement<ChangedRow>(
  'select_changed_templates',
  `select n.name, n.language, case when t.name is not null then ${side('t')} end as before, ${side('n')} as after
   from jsonb_to_recordset($3) as n (
     name text, language text, status text, category text, quality text, rejected_reason text, components jsonb)
   left join lateral (
     select * from templates t
     where t.workspace_id = $1 and t.account_id = $2 and t.name = n.name and t.language = n.language limit 1) t on true
   where (t.status, t.category, t.quality, t.rejected_reason, t.components)
     is distinct from (n.status, n.category, n.quality, n.rejected_reason, n.components)
   order by n.name, n.language`,
)

const selectGone = statement<TemplateId & { status: string }>(
  'select_gone_templates',
  `select name, language, status from templates
   where workspace_id = $1 and account_id = $2
     and (name, language) not in (select t.name, t.language from jsonb_to_recordset($3) as t (name text, language text))
   order by name, language`,
)

/** Templates as they are about to be stored, as the batch that storeListing makes of them. */
type AboutToBeStored = { rows: string; at: Date }

/** Writes down what is about to change. The account's row must be locked, so that nobody else tells the same. */
export async function noteChanges(tx: Sql, of: AccountOf, { rows, at }: AboutToBeStored): Promise<void> {
  const changed = await tx.rows(selectChanged, [of.workspaceId, of.accountId, rows])
  const changes = changed.flatMap(({ before, after, ...id }) =>
    differences(before, after).map((change) => ({ ...id, ...change })),
  )
  await noteTemplateChanges(tx, of, { changes, at })
}

/** Writes down which templates are not among all of the account. Its row must be locked. */
export async function noteGone(tx: Sql, of: AccountOf, { rows, at }: AboutToBeStored): Promise<void> {
  const gone = await tx.rows(selectGone, [of.workspaceId, of.accountId, rows])
  const changes = gone.map(({ status, ...id }) => ({ ...id, field: 'status' as const, before: status, after: null }))
  await noteTemplateChanges(tx, of, { changes, at })
}

type Difference = Omit<TemplateChange, 'at'>

/** Of a template that is new only that it came. */
function differences(before: Side | null, after: Side): Difference[] {
  if (before === null) return [{ field: 'status', before: null, after: after.status }]
  const fields = ['status', 'category', 'quality', 'rejected_reason'] as const
  const values: Difference[] = [
    ...fields.map((field) => ({ field, before: before[field], after: after[field] })),
    { field: 'text', before: textOf(before.components), after: textOf(after.components) },
  ]
  return values.filter((each) => each.before !== each.after)
}

const insertChanges = statement(
  'insert_template_changes',
  `insert into template_changes (id, workspace_id, account_id, name, language, at, field, before, after)
   select c.id, $1, $2, c.name, c.language, $4, c.field, c.before, c.after
   from jsonb_to_recordset($3) as c (id uuid, name text, language text, field text, before text, after text)`,
)

/** In the transaction that makes the changes. */
export async function noteTemplateChanges(
  tx: Sql,
  { workspaceId, accountId }: AccountOf,
  { changes, at }: { changes: readonly (TemplateId & Difference)[]; at: Date },
): Promise<void> {
  if (changes.length === 0) return
  const rows = changes.map((change) => ({ id: newId(), ...change }))
  await tx.rows(insertChanges, [workspaceId, accountId, batch(rows), at])
}

/** The latest that are shown of one template. */
export const CHANGES_SHOWN = 100

const selectChanges = statement<TemplateChange>(
  'list_template_changes',
  `select at, field, before, after from template_changes
   where workspace_id = $1 and account_id = $2 and name = $3 and language = $4
   order by id desc limit ${CHANGES_SHOWN}`,
)

/** Latest first. They outlive the template. */
export const listTemplateChanges = (
  sql: Sql,
  { workspaceId, accountId, name, language }: AccountOf & TemplateId,
): Promise<TemplateChange[]> => sql.rows(selectChanges, [workspaceId, accountId, name, language])
