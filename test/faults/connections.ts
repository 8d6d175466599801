import { Pool } from 'pg'
import { type Db, openDb } from '../../src/lib/db/pool.ts'
import { atEnd } from '../runner/at-end.ts'
import { fileDatabase } from '../database/database.ts'
import { waitFor } from '../world/wait-for.ts'

/** Connections of each node in a test. */
const POOL_SIZE = 6
/** To idle. */
const FOREVER = 0
/**
 * A busy machine may stop the process of a test or of its session for longer than a node's limits: 5 s within a transaction, 2.5 s
 * within a statement. The limit of a wait for a lock stays: tests of locked rows need it.
 */
const MAX_STOPPED_MS = 60_000

type Pooled = { db: Db; onIdleError: (error: Error) => void }

/** Pools of nodes that have stopped. A new connection costs the server more than most tests do. */
const idle: Pooled[] = []

/** The pool of a node. On the process's own database a node reuses the connections of a node that has stopped. */
export async function openPooledDb(url: string, onIdleError: (error: Error) => void = () => {}): Promise<Db> {
  if (url !== (await fileDatabase())) return openDb({ url, poolSize: POOL_SIZE, onIdleError })
  const pooled = idle.pop() ?? newPooled(url)
  pooled.onIdleError = onIdleError
  return {
    ...pooled.db,
    async close() {
      await waitFor('the statements of a node that stopped to be over', () => pooled.db.oldestStatementMs() === 0)
      pooled.onIdleError = () => {}
      idle.push(pooled)
    },
  }
}

function newPooled(url: string): Pooled {
  const pooled: Pooled = {
    db: openDb({
      url,
      poolSize: POOL_SIZE,
      idleMs: FOREVER,
      idleTransactionMs: MAX_STOPPED_MS,
      statementTimeoutMs: MAX_STOPPED_MS,
      onIdleError: (error) => pooled.onIdleError(error),
    }),
    onIdleError: () => {},
  }
  return pooled
}

let questions: Pool | undefined

/** For the tests' own queries on the process's database. */
export async function queryPool(): Promise<Pool> {
  questions ??= new Pool({ connectionString: await fileDatabase(), max: 3, idleTimeoutMillis: FOREVER }).on(
    'error',
    () => {},
  )
  return questions
}

atEnd(async () => {
  const asked = questions
  questions = undefined
  await Promise.all([...idle.splice(0).map(({ db }) => db.close()), asked?.end()])
})
