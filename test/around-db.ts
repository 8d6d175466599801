import type { Db, Sql, Statement, Value } from '../src/db.ts'

export type Call = { statement: Statement<unknown>; values: readonly Value[]; run: () => Promise<unknown[]> }

/** What happens instead of a statement; `run` runs it. */
export type Around = (call: Call) => Promise<unknown[]>

/** The same database with something around each statement, inside transactions as well. */
export function aroundDb(db: Db, around: Around): Db {
  return {
    url: db.url,
    ...aroundSql(db, around),
    transaction: (work) => db.transaction((tx) => work(aroundSql(tx, around))),
    connect: () => db.connect(),
    close: () => db.close(),
  }
}

export function aroundSql(sql: Sql, around: Around): Sql {
  const rows = async <Row>(statement: Statement<Row>, values: readonly Value[] = []): Promise<Row[]> =>
    (await around({ statement, values, run: () => sql.rows(statement, values) })) as Row[]
  return { rows, row: async (statement, values) => (await rows(statement, values))[0] }
}
