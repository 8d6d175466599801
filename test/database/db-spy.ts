import type { Db, Sql, Statement, Value } from '../../src/lib/db/pool.ts'

export type Call = { statement: Statement<unknown>; values: readonly Value[]; run: () => Promise<unknown[]> }

/** Called for each statement; `run` executes it. */
export type DbSpy = (call: Call) => Promise<unknown[]>

/** Wraps each statement of the database, also in transactions. */
export function spyOnDb(db: Db, around: DbSpy): Db {
  return {
    url: db.url,
    sessionSettings: db.sessionSettings,
    ...spyOnSql(db, around),
    transaction: (work, ...limits) => db.transaction((tx) => work(spyOnSql(tx, around)), ...limits),
    snapshot: (work) => db.snapshot((tx) => work(spyOnSql(tx, around))),
    connect: () => db.connect(),
    oldestStatementMs: () => db.oldestStatementMs(),
    close: () => db.close(),
  }
}

/** Statements for which this returns an error fail with it, instead of being executed. */
export const failingDb =
  (faultOf: (statement: string) => Error | false | undefined) =>
  (db: Db): Db =>
    spyOnDb(db, ({ statement, run }) => {
      const fault = faultOf(statement.name)
      if (fault) throw fault
      return run()
    })

export function spyOnSql(sql: Sql, around: DbSpy): Sql {
  const rows = async <Row>(statement: Statement<Row>, values: readonly Value[] = []): Promise<Row[]> =>
    (await around({ statement, values, run: () => sql.rows(statement, values) })) as Row[]
  return { rows, row: async (statement, values) => (await rows(statement, values))[0] }
}
