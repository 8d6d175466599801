import { type Statement, camelCase, statement } from '../../lib/db/pool.ts'
import { HAS_TEXT, WITHOUT_TEXT } from '../../messages/queue/finish.ts'
import { REPEAT_KEY_PATTERN } from '../../otp/hooks/send.ts'
import { type PersonalDataKind, type Table, lifeOf, partsOf, tableNames } from '../columns.ts'

type Id = { id: string }

/** `holds`: whether there is something to remove; undefined if there always is. `left`: what stays. $3: the pseudonym. $4: a pattern for the number. */
type Emptying = { holds?: (column: string) => string; left: (column: string) => string }

const EMPTYING: Readonly<Record<Exclude<PersonalDataKind, 'report' | 'mention' | 'row'>, Emptying>> = {
  number: { left: () => '$3' },
  user_id: { left: () => 'null' },
  // a late report is found by our own id
  provider_id: { left: (column) => `case when ${column} is not null then 'erased:' || gen_random_uuid() end` },
  reference: { left: (column) => `case when ${column} ~ $4 then $3 else ${column} end` },
  idempotency_key: {
    left: (column) => `case when ${column} ~ $4 or ${column} ~ '${REPEAT_KEY_PATTERN}' then null else ${column} end`,
  },
  parameters: { left: () => `'{"removed":true}'` },
  message: {
    holds: (column) => `${column} ->> 'type' <> 'removed'`,
    left: (column) => `case when ${column} is not null then '{"type":"removed"}'::jsonb end`,
  },
  notes: {
    holds: (column) => `coalesce(${column} #>> '{reschedule,note}', ${column} ->> 'note') is not null`,
    left: (column) => `case when jsonb_typeof(${column}) = 'object' then
       jsonb_set(jsonb_set(${column}, '{note}', 'null', false), '{reschedule,note}', 'null', false) else ${column} end`,
  },
  error: { holds: () => HAS_TEXT, left: () => WITHOUT_TEXT },
  text: { holds: (column) => `${column} is not null`, left: () => 'null' },
  payload: { holds: (column) => `${column} <> ''`, left: () => `''` },
}

/** What the removal of old content always empties. Parameters are not listed: a repeated request may be compared with them. */
const CONTENT: readonly PersonalDataKind[] = ['message', 'notes', 'error', 'text', 'payload']

type EmptiedColumn = { column: string; emptying: Emptying }

/** The columns of a table with these kinds of data: all that an erasure changes, or only the content. */
function emptiedColumns(table: Table, kinds: readonly PersonalDataKind[]): EmptiedColumn[] {
  return Object.entries(lifeOf(table).person ?? {}).flatMap(([column, kind]) => {
    if (kind === 'report' || kind === 'mention' || kind === 'row' || !kinds.includes(kind)) return []
    return [{ column, emptying: EMPTYING[kind] }]
  })
}

const ERASED = Object.keys(EMPTYING) as (keyof typeof EMPTYING)[]

const anyHolds = (columns: readonly EmptiedColumn[]): string => {
  const conditions = columns.map(({ column, emptying }) => emptying.holds?.(column) ?? 'true')
  return conditions.includes('true') ? 'true' : `(${conditions.join(' or ')})`
}

const assignments = (columns: readonly EmptiedColumn[]): string =>
  columns.map(({ column, emptying }) => `${column} = ${emptying.left(column)}`).join(',\n     ')

/** The condition of the table's rows that hold content. */
export const hasContent = (table: Table): string => anyHolds(emptiedColumns(table, CONTENT))

/** Empties the content of the rows that fulfil the condition; without one, of the rows that belong to `$1`. */
export function emptyContent(table: Table, condition = reach(table, '$1::uuid[]')?.rows): Statement<unknown> {
  const columns = emptiedColumns(table, CONTENT)
  return statement(
    `empty_${table}`,
    `update ${table} set ${assignments(columns)}\n   where ${condition} and ${anyHolds(columns)}`,
  )
}

/** The rows that an erasure locks. Everything that belongs to such a row is erased with it. */
export type Root = 'events' | 'messages' | 'confirmations'

const isRoot = (table: Table): table is Root => ['events', 'messages', 'confirmations'].includes(table)

/** What the table's rows belong to, and the condition of those that belong to the rows with these ids. */
function reach(table: Table, ids: string): { root: Root; rows: string } | undefined {
  if (isRoot(table)) return { root: table, rows: `id = any (${ids})` }
  const [[parent, column] = []] = Object.entries(lifeOf(table).partOf ?? {}) as [Table, string][]
  const above = parent && reach(parent, ids)
  if (!above) return undefined
  const parents = isRoot(parent) ? ids : `array (select id from ${parent} where ${above.rows})`
  return { root: above.root, rows: `${column} = any (${parents})` }
}

/**
 * Erases a person from the rows that belong to one kind of root. $1: the workspace. $2: ids of the root. All take the same four
 * values, so each text names them.
 */
export const erasures: readonly { root: Root; erase: Statement<unknown> }[] = tableNames.flatMap((table) => {
  const [reached, columns] = [reach(table, '$2::uuid[]'), emptiedColumns(table, ERASED)]
  if (!reached || columns.length === 0) return []
  const values = assignments(columns)
  const conditions = [
    'workspace_id = $1',
    reached.rows,
    anyHolds(columns),
    ...['$3', '$4'].filter((each) => !values.includes(each)).map((each) => `${each}::text is not null`),
  ].filter((each) => each !== 'true')
  const text = `update ${table} set ${values}\n   where ${conditions.join(' and ')}`
  return [{ root: reached.root, erase: statement(`erase_${table}`, text) }]
})

/**
 * Common table expressions that delete what belongs to the rows of a table whose ids are `ids`. `done`: parts that go with a row
 * further up. An event of an order names the order, and no message.
 */
function deletionsOfParts(table: Table, ids: string, done: readonly Table[] = []): string[] {
  const parts = partsOf(table).filter(({ part }) => !done.includes(part))
  const alsoDone = [...done, ...parts.map(({ part }) => part)]
  return parts.flatMap(({ part, column }) => {
    if (partsOf(part).length === 0) return [`of_${part} as (delete from ${part} where ${column} = any (${ids}))`]
    const gone = `array (select id from of_${part})`
    return [
      `of_${part} as materialized (select id from ${part} where ${column} = any (${ids}))`,
      ...deletionsOfParts(part, gone, alsoDone),
      `gone_${part} as (delete from ${part} where id = any (${gone}))`,
    ]
  })
}

/** Deletes the rows of `$1` with everything that belongs to them, and returns their ids. */
export function deleteWithParts(table: Table): Statement<Id> {
  const parts = deletionsOfParts(table, '$1::uuid[]')
  const inUse = lifeOf(table).inUse?.(table)
  // What has parts was locked with them, and checked.
  const condition = parts.length === 0 && inUse ? ` and not ${inUse}` : ''
  const deletion = `delete from ${table} where id = any ($1::uuid[])${condition} returning id`
  return statement(`remove_${table}`, parts.length > 0 ? `with ${parts.join(',\n   ')}\n   ${deletion}` : deletion)
}

/** The exported columns of a row as a JSON object. `more`: members that are not columns. */
export function exportOf(table: Table, of: string, more: Readonly<Record<string, string>> = {}): string {
  const columns = (lifeOf(table).exported ?? '').split(/\s+/).map((each) => {
    const [column = '', name = camelCase(column)] = each.split(':')
    return `'${name}', ${of}.${column}`
  })
  const members = Object.entries(more).map(([name, value]) => `'${name}', ${value}`)
  return `jsonb_build_object(${[...columns, ...members].join(', ')})`
}
