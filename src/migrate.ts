import { readdir, readFile } from 'node:fs/promises'
import type { Db } from './db.ts'

const FOLDER = new URL('../migrations/', import.meta.url)
const FILE_NAME = /^(\d{6})_[a-z0-9_]+\.sql$/

/** Any number that no other program on the same database uses: two nodes must not migrate at once. */
const MIGRATION_LOCK = 7_305_221

type Migration = { number: number; name: string }

export class SchemaTooNew extends Error {
  constructor(found: number, known: number) {
    super(
      `the database is at migration ${found} and this release knows ${known}: start a release at least as new as the one that migrated it`,
    )
    this.name = 'SchemaTooNew'
  }
}

/** Brings the schema up to this release: each file in its own transaction, forward only. Returns how many ran. */
export async function migrate(db: Db): Promise<number> {
  const migrations = await listMigrations()
  const connection = await db.connect()
  try {
    await connection.query('set statement_timeout = 0') // another node may be at it, and a large table takes its time
    await connection.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
    await connection.query(
      'create table if not exists migrations (number integer primary key, name text not null, applied_at timestamptz not null default now())',
    )
    const answer = await connection.query<{ newest: number }>(
      'select coalesce(max(number), 0) as newest from migrations',
    )
    const newest = answer.rows[0]?.newest ?? 0
    const known = migrations.at(-1)?.number ?? 0
    if (newest > known) throw new SchemaTooNew(newest, known)
    const pending = migrations.filter((migration) => migration.number > newest)
    for (const { number, name } of pending) {
      const text = await readFile(new URL(name, FOLDER), 'utf8')
      await connection.query('begin')
      await connection.query(text)
      await connection.query('insert into migrations (number, name) values ($1, $2)', [number, name])
      await connection.query('commit')
    }
    return pending.length
  } finally {
    await connection.end() // gives the lock back, whatever happened
  }
}

async function listMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).sort()
  return names.map((name, index) => {
    const number = Number(FILE_NAME.exec(name)?.[1])
    if (number !== index + 1) throw new Error(`migrations/${name} breaks the sequence: expected number ${index + 1}`)
    return { number, name }
  })
}
