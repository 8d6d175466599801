import {
  type AlterTableCmd,
  type AlterTableStmt,
  type ColumnDef,
  type CommentStmt,
  type Constraint,
  type CreateFunctionStmt,
  type CreateStmt,
  type DefElem,
  type DropStmt,
  type FuncCall,
  type IndexStmt,
  type InsertStmt,
  type List,
  type Node,
  type RangeVar,
  parse,
} from 'libpg-query'

/**
 * Followed by a name, and why nodes of the previous release still work: of a constraint (`table.name`), why it holds for every row
 * that they have written or will write; of an index (its name), why they do not need it, or why building it does not block their
 * writes for long; of a column (`table.name`), why its default, which is not constant, may rewrite the table or be called by
 * their inserts; of a table that a new one refers to (`new.existing`), why locking it does not block their writes for long.
 */
const HOLDS_MARK = '-- holds '

/** Stable functions: for a new column PostgreSQL calls them only one time, and rewrites no row. */
const STABLE_FUNCTIONS = new Set(['now'])

/** Functions that change nothing: a default of later rows may call them. */
const FUNCTIONS_OF_DEFAULTS = new Set([...STABLE_FUNCTIONS, 'clock_timestamp', 'gen_random_uuid'])

/** These affect only how new pages are filled. */
const TABLE_OPTIONS = new Set(['fillfactor'])

/** In the reason of a constraint: validating it reads every row, and nothing else can use the table meanwhile. */
const FEW_ROWS = /\bfew rows\b/

/** What a migration has declared: the tables that it creates, the constraints that it adds, and the names after `HOLDS_MARK` with their reasons. */
type Context = { created: ReadonlySet<string>; constraints: ReadonlySet<string>; holds: ReadonlyMap<string, string> }

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
export async function findContracting(migration: string): Promise<string[]> {
  const statements = ((await parse(migration)).stmts ?? []).flatMap(({ stmt }) => (stmt === undefined ? [] : [stmt]))
  const marks = migration.matchAll(new RegExp(`^ *${HOLDS_MARK}([\\w.]+): (\\S.*)`, 'gm'))
  const context = {
    created: new Set(statements.flatMap((statement) => createdTable(statement))),
    constraints: new Set((valuesOf(statements, 'Constraint') as Constraint[]).map(({ conname = '' }) => conname)),
    holds: new Map([...marks].map(([, name = '', reason = '']) => [name, reason])),
  }
  return statements.flatMap((statement) => faultsOf(statement, context))
}

function createdTable(statement: Node): string[] {
  const create = as(statement, 'CreateStmt')
  return create === undefined || create.if_not_exists ? [] : [nameOf(create.relation)]
}

function faultsOf(statement: Node, context: Context): string[] {
  const table = as(statement, 'CreateStmt')
  if (table !== undefined) return [...faultsOfTable(table, context), ...faultsOfNewRows(table, table.relation, context)]
  const alter = as(statement, 'AlterTableStmt')
  if (alter !== undefined) return faultsOfAlter(alter, context)
  const index = as(statement, 'IndexStmt')
  if (index !== undefined) return faultsOfIndex(index, context)
  const drop = as(statement, 'DropStmt')
  if (drop !== undefined) return faultsOfDrop(drop, context)
  const insert = as(statement, 'InsertStmt')
  if (insert !== undefined) return faultsOfInsert(insert, context)
  // A new function does nothing until something calls it: a statement here, or a default, which needs a reason. Its body is not read.
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

/** A new table locks the tables that it refers to, and its defaults can call anything. */
function faultsOfNewRows(tree: object, table: RangeVar | undefined, { created, holds }: Context): string[] {
  const columns = valuesOf(tree, 'ColumnDef') as ColumnDef[]
  const constraints = valuesOf(tree, 'Constraint') as Constraint[]
  const name = table?.relname ?? ''
  return [
    ...columns
      .filter(({ constraints: own = [], colname }) =>
        own.some((each) => !isHarmlessDefault(as(each, 'Constraint'), holds.has(`${name}.${colname}`))),
      )
      .map(({ colname }) => `has a default that may change something for the column ${colname}`),
    ...constraints
      .filter(({ contype, pktable }) => contype === 'CONSTR_FOREIGN' && !created.has(nameOf(pktable)))
      .filter(({ pktable }) => !holds.has(`${name}.${pktable?.relname}`))
      .map(({ pktable }) => `locks the table ${pktable?.relname}`),
  ]
}

const isHarmlessDefault = (constraint: Constraint | undefined, holds: boolean): boolean =>
  holds ||
  constraint?.contype !== 'CONSTR_DEFAULT' ||
  functionsIn(constraint).every((name) => FUNCTIONS_OF_DEFAULTS.has(name))

function faultsOfAlter(alter: AlterTableStmt, context: Context): string[] {
  if (alter.objtype !== 'OBJECT_TABLE') return [`alters ${alter.objtype}`]
  if (context.created.has(nameOf(alter.relation))) return faultsOfNewRows(alter, alter.relation, context)
  const actions = (alter.cmds ?? []).map((each) => as(each, 'AlterTableCmd') ?? {})
  const table = alter.relation?.relname ?? ''
  return actions.flatMap((action) => faultsOfAction(action, { all: actions, table }, context))
}

type OfTable = { all: readonly AlterTableCmd[]; table: string }

function faultsOfAction(action: AlterTableCmd, { all, table }: OfTable, { constraints, holds }: Context): string[] {
  const subtype: string = action.subtype ?? 'none'
  switch (subtype) {
    case 'AT_AddColumn': {
      const column = action.def === undefined ? undefined : as(action.def, 'ColumnDef')
      return column === undefined
        ? ['adds a column that could not be read']
        : faultsOfColumn(column, holds.has(`${table}.${column.colname}`))
    }
    case 'AT_AddConstraint': {
      const constraint = (action.def === undefined ? undefined : as(action.def, 'Constraint')) ?? {}
      const { conname: name } = constraint
      if (name === undefined) return ['adds a constraint without a name']
      const reason = holds.get(`${table}.${name}`)
      return reason === undefined ? [`adds the constraint ${name}`] : faultsOfLock(constraint, reason)
    }
    case 'AT_ValidateConstraint': {
      // In the migration that adds it the table stays locked until the commit.
      const { name = '' } = action
      return constraints.has(name) || !holds.has(`${table}.${name}`) ? [`validates the constraint ${name}`] : []
    }
    case 'AT_DropConstraint': {
      // "on conflict" needs its unique constraint. Without a foreign key every statement still works.
      const { name = '' } = action
      const isReplaced = all.some(({ def }) => def !== undefined && as(def, 'Constraint')?.conname === name)
      return name.endsWith('_fkey') || isReplaced ? [] : ['drops a constraint']
    }
    case 'AT_ColumnDefault':
      if (action.def === undefined) return ['makes a column required']
      if (holds.has(`${table}.${action.name}`)) return []
      return functionsIn(action.def)
        .filter((name) => !FUNCTIONS_OF_DEFAULTS.has(name))
        .map((name) => `calls the function ${name}`)
    case 'AT_SetRelOptions':
      return (valuesOf(action, 'DefElem') as DefElem[])
        .filter(({ defname = '' }) => !TABLE_OPTIONS.has(defname))
        .map(({ defname }) => `sets the option ${defname}`)
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

/** Building the index of a constraint, or reading all rows to validate it, keeps everything else out of the table. */
function faultsOfLock({ contype, conname, indexname, skip_validation }: Constraint, reason: string): string[] {
  const kind: string = contype ?? 'none'
  switch (kind) {
    case 'CONSTR_CHECK':
    case 'CONSTR_FOREIGN':
      return skip_validation || FEW_ROWS.test(reason) ? [] : [`reads the whole table for the constraint ${conname}`]
    case 'CONSTR_UNIQUE':
    case 'CONSTR_PRIMARY':
      return indexname === undefined ? [`builds an index for the constraint ${conname}`] : []
    default:
      return [`adds a constraint of a kind that is not allowed: ${kind}`]
  }
}

function faultsOfColumn(column: ColumnDef, holds: boolean): string[] {
  const constraints = (column.constraints ?? []).map((each): Constraint => as(each, 'Constraint') ?? {})
  const standard = constraints.find(({ contype }) => contype === 'CONSTR_DEFAULT')
  const isRequired = constraints.some(({ contype }) => contype === 'CONSTR_NOTNULL')
  const allowed = ['CONSTR_NOTNULL', 'CONSTR_NULL', 'CONSTR_DEFAULT']
  const rules = constraints.filter(({ contype = '' }) => !allowed.includes(contype))
  const type = lastName(column.typeName?.names)
  return [
    ...(isRequired && standard === undefined ? ['adds a required column without a default'] : []),
    ...(rules.length > 0 ? ['adds a constraint in a column'] : []),
    ...(type.endsWith('serial') || (standard !== undefined && !isConstant(standard, holds))
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
export function valuesOf(tree: object, key: string): object[] {
  const deeper = Object.values(tree).filter((value): value is object => typeof value === 'object' && value !== null)
  const own: unknown = key in tree ? (tree as Record<string, unknown>)[key] : undefined
  return [...(typeof own === 'object' && own !== null ? [own] : []), ...deeper.flatMap((each) => valuesOf(each, key))]
}
