import {
  type CommonTableExpr,
  type FuncCall,
  type LockingClause,
  type Node,
  type RangeVar,
  type SelectStmt,
  parse,
} from 'libpg-query'
import { valuesOf } from './contracting.ts'

/** From the strongest. A lock is `select … for update` and the like. */
export const USES = ['write', 'lock', 'read'] as const
export type Use = (typeof USES)[number]

/** What our functions in `migrations/` use. */
export const FUNCTION_USES: Readonly<Record<string, [table: string, use: Use]>> = {
  next_recorded_order: ['instance', 'read'],
  take_units: ['quota_usage', 'write'],
  write_pace: ['sender_pace', 'write'],
}

/** The strongest use of each table by one statement. A table of another schema than `public` has its name before it. */
export async function usedTables(statement: string): Promise<Map<string, Use>> {
  const { stmts = [] } = await parse(statement)
  const temporary = new Set((valuesOf(stmts, 'CommonTableExpr') as CommonTableExpr[]).map(({ ctename }) => ctename))
  const uses = new Map<string, Use>()
  const add = (use: Use, tables: readonly RangeVar[]): void => {
    for (const { schemaname, relname = '' } of tables)
      if (schemaname !== undefined || !temporary.has(relname)) {
        const name = schemaname === undefined ? relname : `${schemaname}.${relname}`
        uses.set(name, strongest([use, uses.get(name) ?? use]))
      }
  }
  const named = new Set((valuesOf(stmts, 'LockingClause') as LockingClause[]).flatMap(namedBy))
  add(
    'read',
    (valuesOf(stmts, 'RangeVar') as RangeVar[]).filter((table) => !named.has(table)),
  )
  add('lock', (valuesOf(stmts, 'SelectStmt') as SelectStmt[]).flatMap(lockedTables))
  for (const kind of ['InsertStmt', 'UpdateStmt', 'DeleteStmt', 'MergeStmt'])
    add(
      'write',
      (valuesOf(stmts, kind) as { relation: RangeVar }[]).map(({ relation }) => relation),
    )
  for (const { funcname = [] } of valuesOf(stmts, 'FuncCall') as FuncCall[]) {
    const [table, use] = FUNCTION_USES[(funcname as { String: { sval: string } }[]).at(-1)?.String.sval ?? ''] ?? []
    if (table && use) uses.set(table, strongest([use, uses.get(table) ?? use]))
  }
  return uses
}

export const strongest = (uses: readonly Use[]): Use => USES.find((use) => uses.includes(use)) ?? 'read'

/** Those that "for update of" names, or all of the select, without those of its subqueries. */
function lockedTables({ fromClause = [], lockingClause = [] }: SelectStmt): RangeVar[] {
  if (lockingClause.length === 0) return []
  const clauses = lockingClause as { LockingClause: LockingClause }[]
  const named = clauses.flatMap(({ LockingClause }) => namedBy(LockingClause)).map(({ relname }) => relname)
  const tables = fromClause.flatMap(joinedTables)
  return named.length === 0
    ? tables
    : tables.filter(({ alias, relname }) => named.includes(alias?.aliasname ?? relname))
}

/** By their aliases. */
const namedBy = ({ lockedRels = [] }: LockingClause): RangeVar[] =>
  (lockedRels as { RangeVar: RangeVar }[]).map(({ RangeVar }) => RangeVar)

function joinedTables(from: Node): RangeVar[] {
  if ('RangeVar' in from) return [from.RangeVar]
  if (!('JoinExpr' in from)) return []
  const { larg, rarg } = from.JoinExpr
  return [larg, rarg].flatMap((each) => (each ? joinedTables(each) : []))
}
