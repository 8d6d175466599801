import { Client } from 'pg'
import { openDb, statement } from '../../src/lib/db/pool.ts'
import { openShops } from '../shop.ts'

/** A queue of jobs whose whole work is one updated row of state and one inserted attempt. */
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

/** What each of our messages is: a row with its indexes, and a row for each attempt. */
const makeTables = [
  statement('bench_make_work', 'create table if not exists bench_work (like messages including all)'),
  statement(
    'bench_make_attempts',
    'create table if not exists bench_work_attempts (like message_attempts including all)',
  ),
] as const

const fillTable = statement<{ id: string }>(
  'bench_fill_work',
  `insert into bench_work (id, workspace_id, kind, sender_id, recipient, template_name, template_language, correlation_id,
     api_key_id, quota_unit, created_at, status, priority, submit_by)
   select uuidv7(), s.workspace_id, 'otp', s.id, '+2126' || lpad(n::text, 8, '0'), 'login_code', 'en_US', gen_random_uuid(),
     'bench', n, now(), 'queued', 0, now() + interval '2 days'
   from generate_series(1, $1::int) n
   join (select *, row_number() over (order by id) as position from senders) s on s.position = n % $2::int + 1
   returning id`,
)

const finishWork = statement(
  'bench_finish_work',
  `with updated as (
     update bench_work set status = 'sending', accepted_at = now(), attempts = attempts + 1, provider_message_id = $2
     where id = $1 returning workspace_id, id, attempts)
   insert into bench_work_attempts (workspace_id, message_id, attempt, started_at, ended_at, outcome, http_status)
   select workspace_id, id, attempts, now(), now(), 'accepted', 200 from updated`,
)

const CONNECTIONS = 10
/** As many as the messages of `messages.ts` have. */
export const SENDERS = 20

/**
 * The job of a library, as its user writes it: one transaction of its own updates the row that it is about and inserts the
 * attempt. The row has the indexes of a message.
 */
export async function openWork({ databaseUrl, graphUrl }: QueueEngineOptions, rows: number) {
  await openShops({ databaseUrl, graphUrl, shops: SENDERS, keysEach: 0 })
  const db = openDb({ url: databaseUrl, poolSize: CONNECTIONS })
  for (const make of makeTables) await db.rows(make)
  const ids = (await db.rows(fillTable, [rows, SENDERS])).map(({ id }) => id)
  let finished = 0
  return {
    async finish(row: number): Promise<void> {
      finished += 1
      await db.rows(finishWork, [ids[row - 1], `wamid.${process.pid}.${finished}`])
    },
    close: () => db.close(),
  }
}
