import type { TestContext } from 'node:test'
import type { Db } from '../../src/lib/db/pool.ts'

/** Like a psql session left open inside a transaction. Returns the function that ends it. */
export async function lockInAnotherSession(
  t: TestContext,
  db: Pick<Db, 'connect'>,
  lock: string,
  id?: string,
): Promise<() => Promise<void>> {
  const session = await db.connect()
  t.after(() => session.end())
  await session.query('set idle_in_transaction_session_timeout = 0')
  await session.query('begin')
  await session.query(lock, id === undefined ? [] : [id])
  return async () => void (await session.query('rollback'))
}

export const lockRow = (t: TestContext, { parts: { db } }: { parts: { db: Db } }, table: string, id: string) =>
  lockInAnotherSession(t, db, `select id from ${table} where id = $1 for update`, id)
