import { Client } from 'pg'
import { openDb, statement } from '../../src/lib/db/pool.ts'
import { createBatcher } from '../../src/lib/db/batcher.ts'

/** A queue of trivial jobs, whose whole work is one updated row. */
export type QueueEngine = {
  name: string
  /** Jobs that are due now. */
  put(count: number): Promise<void>
  /** Jobs that are due tomorrow. */
  putFuture(count: number): Promise<void>
  /** Claims and finishes as many jobs; resolves with the time it took. */
  drain(count: number): Promise<number>
  close(): Promise<void>
}

export type QueueEngineOptions = { databaseUrl: string; graphUrl: string }

/** Many rows at once: without the checks of foreign keys, which these rows keep by how they are made. */
export async function insertInBulk(
  databaseUrl: string,
  texts: readonly string[],
  values: unknown[] = [],
): Promise<void> {
  const client = new Client(databaseUrl)
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const text of texts) await client.query(text, values)
  } finally {
    await client.end()
  }
}

/** Does what autovacuum would do in the next idle minute. */
export async function refreshStatistics(databaseUrl: string): Promise<void> {
  const client = new Client(databaseUrl)
  await client.connect()
  try {
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}

const makeTable = statement(
  'bench_make_work',
  'create table if not exists bench_work (id integer primary key, done_at timestamptz) with (fillfactor = 70)',
)

const fillTable = statement(
  'bench_fill_work',
  'insert into bench_work (id) select * from generate_series(1, $1::int) on conflict do nothing',
)

const finishWork = statement('bench_finish_work', 'update bench_work set done_at = now() where id = any ($1::int[])')

const MAX_GROUP = 256
const GROUPS_AT_ONCE = 2

/** The row that a job of a library updates, many in one statement: what a careful user of it would write. */
export async function openWork(databaseUrl: string, rows: number) {
  const db = openDb({ url: databaseUrl, poolSize: 4 })
  await db.rows(makeTable)
  await db.rows(fillTable, [rows])
  const finishAll = async (ids: readonly number[]): Promise<void> => void (await db.rows(finishWork, [ids]))
  const finishOne = createBatcher(
    async (ids: number[]) => {
      await finishAll(ids)
      return ids.map(() => undefined)
    },
    { maxItems: MAX_GROUP, concurrency: GROUPS_AT_ONCE, mayRunOneByOne: () => false },
  )
  return { finishAll, finishOne, close: () => db.close() }
}
