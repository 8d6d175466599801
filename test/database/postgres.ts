import { readFile, writeFile } from 'node:fs/promises'
import { Client, type DatabaseError } from 'pg'
import { OWNER } from '../../src/runtime/start/embedded-postgres/owner.ts'

/** The migrated database that each process's own is a copy of. */
export const TEMPLATE_DATABASE = 'doorcode_template'

/** The server that test/run.ts started. */
export function serverUrl(): string {
  const url = process.env.TEST_DATABASE_URL
  if (!url) throw new Error('tests need a PostgreSQL: run them with "npm test" or "npm test -- <files>"')
  return url
}

/** Where the server listens. */
export const testServerSocket = (): string =>
  `${new URL(serverUrl().replace('@/', '@localhost/')).searchParams.get('host')}/.s.PGSQL.5432`

/** A database of this server for the role that owns all databases of tests, as Doorcode works with its own. */
export function ownerUrlOf(database: string): string {
  const url = process.env.TEST_OWNER_URL
  if (!url) throw new Error('tests need a PostgreSQL: run them with "npm test" or "npm test -- <files>"')
  return urlOf(url, database)
}

/** The same database, for what only a superuser may do. */
export const superuserUrlOf = (url: string): string =>
  urlOf(serverUrl(), new URL(url.replace('@/', '@localhost/')).pathname.slice(1))

/** As after pg_upgrade: tables may be large, and PostgreSQL has no statistics until an operator runs ANALYZE. */
export const forgetStatistics = (url: string): Promise<unknown> =>
  withConnection(superuserUrlOf(url), (connection) =>
    connection.query(`delete from pg_statistic;
      update pg_class set reltuples = -1, relpages = 0, relallvisible = 0 where relnamespace = 'public'::regnamespace`),
  )

/** `strategy wal_log` copies a small database twice as fast as `file_copy`. */
export async function createDatabase(server: string, name: string, template = 'template0'): Promise<void> {
  await withConnection(server, async (connection) => {
    await connection.query(`create database ${name} owner ${OWNER} template ${template} strategy wal_log`)
  })
}

/**
 * Checking a password takes longer on both sides than everything else that a connection needs, and tests open
 * thousands.
 */
export async function trustRoles(server: string): Promise<void> {
  await withConnection(server, async (connection) => {
    const { rows } = await connection.query<{ file: string; role: string }>(
      `select current_setting('hba_file') as file, current_user as role`,
    )
    const [{ file, role } = { file: '', role: '' }] = rows
    await writeFile(file, `local all ${role},${OWNER} trust\n${await readFile(file, 'utf8')}`)
    await connection.query(`grant set on parameter session_replication_role to ${OWNER}`) // for test/database/many-rows.ts
    await connection.query('select pg_reload_conf()')
  })
}

const LEAVING_MS = 1_000
const STILL_IN_USE = '55006'

/**
 * Drops the database only when its connections are closed: a forced drop would fail the test that uses it. Other
 * databases are removed with the server.
 */
export async function dropDatabase(server: string, name: string): Promise<void> {
  await withConnection(server, async (connection) => {
    const deadline = performance.now() + LEAVING_MS
    for (let dropped = false; !dropped && performance.now() < deadline; ) {
      dropped = await connection.query(`drop database ${name}`).then(
        () => true,
        (error: DatabaseError) => {
          if (error.code !== STILL_IN_USE) throw error
          return false
        },
      )
    }
  })
}

/** The same server, another database. Over a socket the url has no host, which pg reads and `URL` does not. */
export function urlOf(server: string, database: string): string {
  const url = new URL(server.replace('@/', '@localhost/'))
  url.pathname = `/${database}`
  return url.href
}

/** For queries of tests. */
export async function withConnection<Result>(
  url: string,
  work: (connection: Client) => Promise<Result>,
): Promise<Result> {
  const connection = new Client(url)
  await connection.connect()
  try {
    return await work(connection)
  } finally {
    await connection.end()
  }
}
