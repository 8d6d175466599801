import { chmod, mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { openDb } from '../src/lib/db/pool.ts'
import { OWNER } from '../src/runtime/start/embedded-postgres/owner.ts'
import { startEmbeddedPostgres } from '../src/runtime/start/embedded-postgres/server.ts'
import { migrate } from '../src/lib/db/migrate.ts'
import { createDatabase, dropDatabase, urlOf, withConnection } from '../test/database/postgres.ts'

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
    cpuMs: () => cpuOfFamily(path.join(folder, 'postgres', 'data', 'postmaster.pid')),
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

/** /proc/<pid>/stat counts CPU time in ticks, which are 10 ms on every Linux that Node runs on. */
const TICK_MS = 10

async function cpuOfFamily(pidFile: string): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined
  const first = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(
    pids.map(async (pid) => readStat(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))),
  )
  let ticks = 0
  for (const { pid, parent, own, ended } of stats) {
    if (parent === first) ticks += own
    if (pid === first) ticks += own + ended
  }
  return ticks * TICK_MS
}

function readStat(text: string): { pid: number; parent: number; own: number; ended: number } {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ') // begins with field 3, the state
  const field = (number: number): number => Number(fields[number - 3] ?? 0)
  return { pid: Number.parseInt(text, 10), parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) }
}
