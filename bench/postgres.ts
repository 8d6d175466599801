import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDb } from '../src/lib/db/pool.ts'
import { OWNER } from '../src/runtime/start/embedded-postgres/owner.ts'
import { startEmbeddedPostgres } from '../src/runtime/start/embedded-postgres/server.ts'
import { migrate } from '../src/lib/db/migrate.ts'
import { createDatabase, dropDatabase, urlOf, withConnection } from '../test/database/postgres.ts'
import { cpuMsWithChildren } from './process-usage.ts'

export type BenchPostgres = {
  /** A new migrated database, for one part. */
  database(name: string): Promise<BenchDatabase>
  /** CPU time of all its processes so far. Undefined where the system does not report it. */
  cpuMs(): Promise<number | undefined>
  stop(): Promise<void>
}

export type BenchDatabase = { url: string; drop(): Promise<void> }

/** PostgreSQL 18 with full durability, in a temporary folder. */
export async function startBenchPostgres(): Promise<BenchPostgres> {
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-bench-'))
  await chmod(folder, 0o711) // root's PostgreSQL runs as another user, who must pass through
  const postgres = await startEmbeddedPostgres({ dataDir: folder, durable: true })
  await mustSync(postgres.url)
  const pidFile = path.join(folder, 'postgres', 'data', 'postmaster.pid')
  // The bench inserts rows without the checks of foreign keys, and reads the WAL.
  await withConnection(postgres.superuserUrl, (connection) => connection.query(`alter role ${OWNER} superuser`))
  return {
    async database(name) {
      await createDatabase(postgres.superuserUrl, name)
      const url = urlOf(postgres.url, name)
      const db = openDb({ url, poolSize: 1 })
      await migrate(db)
      await db.close()
      return { url, drop: () => dropDatabase(postgres.superuserUrl, name) }
    },
    cpuMs: async () => cpuMsWithChildren(Number((await readFile(pidFile, 'utf8')).split('\n')[0])),
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function mustSync(url: string): Promise<void> {
  const [row] = await withConnection(url, async (connection) => {
    const answer = await connection.query<{ durable: boolean }>(
      `select current_setting('fsync') = 'on' and current_setting('synchronous_commit') = 'on' as durable`,
    )
    return answer.rows
  })
  if (!row?.durable) throw new Error('the bench needs a PostgreSQL that syncs each commit to the disk')
}
