import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import {
  type AlterTableCmd,
  type AlterTableStmt,
  type ColumnDef,
  type CommentStmt,
  type Constraint,
  type CreateFunctionStmt,
  type CreateStmt,
  type DropStmt,
  type FuncCall,
  type IndexStmt,
  type InsertStmt,
  type List,
  type Node,
  type RangeVar,
  parse,
} from 'libpg-query'
import { CONTRACTING_MARK, listMigrations } from '../../src/db/migrate.ts'

/** Up to this number no check is needed: no release before 0.1.0 can run on a database that has these migrations. */
const FIRST_SET = 9

/**
 * Followed by a name, and why nodes of the previous release still work: of a constraint, why it holds for every row that they have
 * written or will write; of an index, why they do not need it, or why building it does not block their writes for long; of a
 * column, why its default, which is not constant, may rewrite the table.
 */
const HOLDS_MARK = '-- holds '

/** Stable functions: for a new column PostgreSQL calls them only one time, and rewrites no row. */
const STABLE_FUNCTIONS = new Set(['now'])

/** What a migration has declared: the tables that it creates, and the names after `HOLDS_MARK`. */
type Context = { created: ReadonlySet<string>; holds: ReadonlySet<string> }

/** The kinds of nodes that this guard reads. */
type Kinds = {
  AlterTableCmd: AlterTableCmd
  AlterTableStmt: AlterTableStmt
  ColumnDef: ColumnDef
  CommentStmt: CommentStmt
  Constraint: Constraint
  CreateFunctionStmt: CreateFunctionStmt
  CreateStmt: CreateStmt
  DropStmt: DropStmt
  FuncCall: FuncCall
  IndexStmt: IndexStmt
  InsertStmt: InsertStmt
  List: List
  String: { sval?: string }
}

/**
 * Why nodes of the previous release could fail while or after this migration runs. They do not know the tables that it creates.
 * A kind of statement or action that is not listed here is rejected: add it when a migration needs it, with what makes it harmless.
 */
async function findContracting(migration: string): Promise<string[]> {
  const statements = ((await parse(migration)).stmts ?? []).flatMap(({ stmt }) => (stmt === undefined ? [] : [stmt]))
  const marks = migration.matchAll(new RegExp(`^ *${HOLDS_MARK}(\\w+): \\S`, 'gm'))
  const context = {
    created: new Set(statements.flatMap((statement) => createdTable(statement))),
    holds: new Set([...marks].map(([, name = '']) => name)),
  }
  return statements.flatMap((statement) => faultsOf(statement, context))
}

function createdTable(statement: Node): string[] {
  const create = as(statement, 'CreateStmt')
  return create === undefined || create.if_not_exists ? [] : [nameOf(create.relation)]
}

function faultsOf(statement: Node, context: Context): string[] {
  const table = as(statement, 'CreateStmt')
  if (table !== undefined) return faultsOfTable(table, context)
  const alter = as(statement, 'AlterTableStmt')
  if (alter !== undefined) return faultsOfAlter(alter, context)
  const index = as(statement, 'IndexStmt')
  if (index !== undefined) return faultsOfIndex(index, context)
  const drop = as(statement, 'DropStmt')
  if (drop !== undefined) return faultsOfDrop(drop, context)
  const insert = as(statement, 'InsertStmt')
  if (insert !== undefined) return faultsOfInsert(insert, context)
  // A new function does nothing until something calls it, and that is checked here. Its body is not.
  const routine = as(statement, 'CreateFunctionStmt')
  if (routine !== undefined && !routine.replace) return []
  if (as(statement, 'CommentStmt') !== undefined) return []
  return [`is of a kind that is not allowed: ${kindOf(statement)}`]
}

function faultsOfTable(table: CreateStmt, { created }: Context): string[] {
  if (!created.has(nameOf(table.relation))) return ['may keep an older table of this name']
  if (table.relation?.relpersistence === 't') return ['creates a temporary table']
  return (table.inhRelations ?? []).length > 0 ? ['adds rows to another table'] : []
}

function faultsOfAlter(alter: AlterTableStmt, context: Context): string[] {
  if (alter.objtype !== 'OBJECT_TABLE') return [`alters ${alter.objtype}`]
  if (context.created.has(nameOf(alter.relation))) return []
  const actions = (alter.cmds ?? []).map((each) => as(each, 'AlterTableCmd') ?? {})
  return actions.flatMap((action) => faultsOfAction(action, actions, context))
}

function faultsOfAction(action: AlterTableCmd, all: readonly AlterTableCmd[], { holds }: Context): string[] {
  const subtype: string = action.subtype ?? 'none'
  switch (subtype) {
    case 'AT_AddColumn': {
      const column = action.def === undefined ? undefined : as(action.def, 'ColumnDef')
      return column === undefined ? ['adds a column that could not be read'] : faultsOfColumn(column, holds)
    }
    case 'AT_AddConstraint': {
      const { conname: name } = (action.def === undefined ? undefined : as(action.def, 'Constraint')) ?? {}
      if (name === undefined) return ['adds a constraint without a name']
      return holds.has(name) ? [] : [`adds the constraint ${name}`]
    }
    case 'AT_DropConstraint': {
      // "on conflict" needs its unique constraint. Without a foreign key every statement still works.
      const { name = '' } = action
      const isReplaced = all.some(({ def }) => def !== undefined && as(def, 'Constraint')?.conname === name)
      return name.endsWith('_fkey') || isReplaced ? [] : ['drops a constraint']
    }
    case 'AT_ColumnDefault':
      return action.def === undefined ? ['makes a column required'] : []
    case 'AT_SetRelOptions': // for example fillfactor: for new pages only
    case 'AT_SetStatistics':
      return []
    default:
      return [FAULTS_OF_ACTIONS[subtype] ?? `has an action that is not allowed: ${subtype}`]
  }
}

/** Only for errors that are easier to read. */
const FAULTS_OF_ACTIONS: Readonly<Record<string, string>> = {
  AT_DropColumn: 'drops a column',
  AT_AlterColumnType: 'changes the type of a column',
  AT_SetNotNull: 'makes a column required',
}

function faultsOfColumn(column: ColumnDef, holds: ReadonlySet<string>): string[] {
  const constraints = (column.constraints ?? []).map((each): Constraint => as(each, 'Constraint') ?? {})
  const standard = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT')
  const isRequired = constraints.some(({ contype }) => contype === 'CONSTR_NOTNULL')
  const allowed = ['CONSTR_NOTNULL', 'CONSTR_NULL', 'CONSTR_DEFAULT']
  const rules = constraints.filter(({ contype = '' }) => !allowed.includes(contype))
  const type = lastName(column.typeName?.names)
  return [
    ...(isRequired && standard === undefined ? ['adds a required column without a default'] : []),
    ...(rules.length > 0 ? ['adds a constraint in a column'] : []),
    ...(type.endsWith('serial') || (standard !== undefined && !isConstant(standard, holds.has(column.colname ?? '')))
      ? [`rewrites the table for the column ${column.colname}`]
      : []),
  ]
}

const isConstant = (standard: Constraint, holds: boolean): boolean =>
  holds || functionsIn(standard).every((name) => STABLE_FUNCTIONS.has(name))

/** The migration's transaction keeps writes to the table out until the index is built. */
function faultsOfIndex(index: IndexStmt, { created, holds }: Context): string[] {
  if (created.has(nameOf(index.relation))) return []
  if (index.unique) return ['forbids rows that were allowed']
  return holds.has(index.idxname ?? '') ? [] : [`blocks writes while it builds the index ${index.idxname}`]
}

function faultsOfDrop(drop: DropStmt, { holds }: Context): string[] {
  if (drop.removeType !== 'OBJECT_INDEX') return ['drops something']
  const names = (drop.objects ?? []).map((each) => lastName(as(each, 'List')?.items))
  return [
    ...names.filter((name) => !holds.has(name)).map((name) => `drops the index ${name}`),
    ...(drop.behavior === 'DROP_CASCADE' ? ['drops what depends on it'] : []),
  ]
}

/** The first rows of a new table. A CTE could change others. */
function faultsOfInsert(insert: InsertStmt, { created }: Context): string[] {
  if (!created.has(nameOf(insert.relation))) return ['changes rows that exist']
  const inner = ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'].filter(
    (kind) => valuesOf(insert, kind).length > 0,
  )
  const functions = functionsIn(insert).filter((name) => !STABLE_FUNCTIONS.has(name))
  return [
    ...(inner.length > 0 ? ['changes rows that exist'] : []),
    ...functions.map((name) => `calls the function ${name}`),
  ]
}

const as = <Kind extends keyof Kinds>(node: Node, kind: Kind): Kinds[Kind] | undefined => (node as Partial<Kinds>)[kind]

const kindOf = (node: Node): string => Object.keys(node)[0] ?? 'none'
const nameOf = (table: RangeVar | undefined): string => `${table?.schemaname ?? 'public'}.${table?.relname ?? ''}`
const functionsIn = (tree: object): string[] =>
  valuesOf(tree, 'FuncCall').map((call) => lastName((call as FuncCall).funcname))

function lastName(names: readonly Node[] | undefined): string {
  const last = names?.at(-1)
  return (last === undefined ? undefined : as(last, 'String')?.sval) ?? ''
}

/** All values under this key, however deep. */
function valuesOf(tree: object, key: string): object[] {
  const deeper = Object.values(tree).filter((value): value is object => typeof value === 'object' && value !== null)
  const own: unknown = key in tree ? (tree as Record<string, unknown>)[key] : undefined
  return [...(typeof own === 'object' && own !== null ? [own] : []), ...deeper.flatMap((each) => valuesOf(each, key))]
}

test('a migration that removes what the previous release uses is marked as contracting', async () => {
  for (const { number, name } of await listMigrations()) {
    if (number <= FIRST_SET) continue
    const text = await readFile(new URL(`../../migrations/${name}`, import.meta.url), 'utf8')
    if (text.startsWith(CONTRACTING_MARK)) continue
    assert.deepEqual(await findContracting(text), [], `${name}: see docs/upgrading.md#how-migrations-are-written`)
  }
})

for (const [migration, ...faults] of [
  ['alter table messages drop column reference;', 'drops a column'],
  ['drop table templates;', 'drops something'],
  ['alter table messages rename column recipient to receiver;', 'is of a kind that is not allowed: RenameStmt'],
  ['alter table messages alter column recipient type bytea;', 'changes the type of a column'],
  ['alter table messages alter column reference set not null;', 'makes a column required'],
  [
    'alter table messages\n  add column a text,\n  add column channel text not null;',
    'adds a required column without a default',
  ],
  ['alter table messages add constraint short check (length(reference) < 9);', 'adds the constraint short'],
  [
    "alter table events drop constraint known, add constraint known check (type in ('otp.sent'));",
    'adds the constraint known',
  ],
  [
    'alter table messages add column lane text, add constraint has_lane check (lane is not null);',
    'adds the constraint has_lane',
  ],
  ['-- holds has_lane:\nalter table messages add constraint has_lane check (true);', 'adds the constraint has_lane'],
  ['alter table messages add column lane text check (lane is not null);', 'adds a constraint in a column'],
  ['alter table messages add column lane text unique;', 'adds a constraint in a column'],
  ['alter table messages add check (length(reference) < 9);', 'adds a constraint without a name'],
  ['create unique index one_per_day on messages (recipient);', 'forbids rows that were allowed'],
  ['delete from events;', 'is of a kind that is not allowed: DeleteStmt'],
  ['drop index messages_due;', 'drops the index messages_due'],
  [
    'drop index messages_due;\n-- holds other: few\ncreate index messages_due on messages (recipient) where due_at is not null;',
    'drops the index messages_due',
    'blocks writes while it builds the index messages_due',
  ],
  ['alter index messages_number rename to messages_due;', 'is of a kind that is not allowed: RenameStmt'],
  ['alter table messages drop reference;', 'drops a column'],
  ['alter table messages alter reference set not null;', 'makes a column required'],
  ['alter table messages alter reference drop default;', 'makes a column required'],
  ['alter table messages alter reference type bytea;', 'changes the type of a column'],
  [
    'alter table messages add column account_id uuid not null references provider_accounts;',
    'adds a required column without a default',
    'adds a constraint in a column',
  ],
  [
    'create trigger reject before insert on messages execute function reject();',
    'is of a kind that is not allowed: CreateTrigStmt',
  ],
  ['alter table messages enable row level security;', 'has an action that is not allowed: AT_EnableRowSecurity'],
  ['alter table messages set schema archive;', 'is of a kind that is not allowed: AlterObjectSchemaStmt'],
  [
    'create table if not exists messages ();\nalter table messages drop column reference;',
    'may keep an older table of this name',
    'drops a column',
  ],
  ['create table archive.messages ();\nalter table messages drop column reference;', 'drops a column'],
  ['alter table nodes drop constraint nodes_pkey;', 'drops a constraint'],
  ['alter table if exists public.messages drop column reference;', 'drops a column'],
  ['do $$ begin drop table messages; end $$;', 'is of a kind that is not allowed: DoStmt'],
  [
    'with removed as (delete from events returning id) select count(*) from removed;',
    'is of a kind that is not allowed: SelectStmt',
  ],
  [
    'create table counts (n bigint);\nwith removed as (delete from events returning id) insert into counts select count(*) from removed;',
    'changes rows that exist',
    'calls the function count',
  ],
  ['create table counts (n bigint);\ninsert into counts select remove_events();', 'calls the function remove_events'],
  ['select remove_events();', 'is of a kind that is not allowed: SelectStmt'],
  ['call remove_events();', 'is of a kind that is not allowed: CallStmt'],
  [
    'create or replace function next_recorded_order() returns bigint language sql as $$ select 1::bigint $$;',
    'is of a kind that is not allowed: CreateFunctionStmt',
  ],
  ['alter table messages disable trigger all;', 'has an action that is not allowed: AT_DisableTrigAll'],
  ['lock table messages;', 'is of a kind that is not allowed: LockStmt'],
  ['create index messages_lane on messages (lane);', 'blocks writes while it builds the index messages_lane'],
  [
    'alter table messages add column token uuid not null default gen_random_uuid();',
    'rewrites the table for the column token',
  ],
  ['alter table messages add column number bigserial;', 'rewrites the table for the column number'],
  [
    'alter table messages add column short text generated always as (left(reference, 9)) stored;',
    'adds a constraint in a column',
  ],
  ["insert into workspaces (id, name) values ('', '');", 'changes rows that exist'],
  ["update messages set status = 'queued';", 'is of a kind that is not allowed: UpdateStmt'],
  ['truncate events;', 'is of a kind that is not allowed: TruncateStmt'],
  ['commit;', 'is of a kind that is not allowed: TransactionStmt'],
  ['set lock_timeout = 0;', 'is of a kind that is not allowed: VariableSetStmt'],
  ['revoke select on messages from public;', 'is of a kind that is not allowed: GrantStmt'],
  ['alter table messages set unlogged;', 'has an action that is not allowed: AT_SetUnLogged'],
  ['create rule none as on insert to messages do instead nothing;', 'is of a kind that is not allowed: RuleStmt'],
  ['create table old_messages () inherits (messages);', 'adds rows to another table'],
  ['create temporary table messages (id uuid);', 'creates a temporary table'],
  ['-- holds messages_due: unused\ndrop index messages_due cascade;', 'drops what depends on it'],
] as const)
  test(`the guard of migrations finds: ${migration.replaceAll('\n', ' ')}`, async () =>
    assert.deepEqual(await findContracting(migration), faults))

test('a migration that only expands needs no mark', async () => {
  assert.deepEqual(
    await findContracting(`-- drop column
      create table notes (id uuid not null, workspace_id uuid not null references workspaces);
      create unique index notes_id on notes (id);
      insert into notes select id, id from workspaces where created_at < now();
      -- holds lane_known: the previous release does not set it
      alter table messages add column channel text not null default 'whatsapp', add column lane text,
        add column seen_at timestamptz not null default now(), add constraint lane_known check (lane in ('fast'));
      -- holds message_status: a value more
      alter table messages drop constraint message_status, add constraint message_status check (status in ('queued', 'new'));
      -- holds workspaces_lane: there are few workspaces
      create index workspaces_lane on workspaces (lane);
      create function next_lane() returns text language sql as $$ select 'fast' $$;
      alter table messages alter column lane set default next_lane();`),
    [],
  )
})
