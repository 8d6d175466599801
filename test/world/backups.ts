import assert from 'node:assert/strict'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { Connection } from '../../src/lib/db/connection.ts'
import { environmentOf, runCommand } from './command-line.ts'
import { INSTANCE_KEY } from './node.ts'
import {
  createDatabase,
  dropDatabase,
  ownerUrlOf,
  serverUrl,
  superuserUrlOf,
  withConnection,
} from '../database/postgres.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { waitFor } from './wait-for.ts'

/** The form of DOORCODE_SECRET_KEY. */
export const KEY = INSTANCE_KEY.toString('base64')

export async function newFile(t: TestContext): Promise<{ folder: string; file: string }> {
  const folder = await temporaryFolder(t)
  return { folder, file: path.join(folder, 'doorcode.backup') }
}

let databases = 0

export async function emptyDatabase(t: TestContext): Promise<string> {
  const name = `restored_${process.pid}_${++databases}`
  await createDatabase(serverUrl(), name)
  t.after(() => dropDatabase(serverUrl(), name))
  return ownerUrlOf(name)
}

/** The result of a command that must succeed. */
export async function command(
  words: readonly string[],
  environment: Record<string, string>,
): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runCommand([...words, '--json'], environment)
  assert.equal(code, 0, stderr)
  return JSON.parse(stdout) as Record<string, unknown>
}

export const backUp = (world: { databaseUrl: string }, file: string, ...options: string[]) =>
  command(['backup', file, ...options], environmentOf(world))

/** Tables by their SQL names, without unlogged ones. */
export async function tablesOf(url: string): Promise<string[]> {
  const { rows } = await withConnection(url, (connection) =>
    connection.query<{ name: string }>(
      `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and c.relpersistence = 'p' and n.nspname in ('public', 'auth') order by 1`,
    ),
  )
  return rows.map(({ name }) => name)
}

/** Holds a restore into an empty database while it copies the rows of workspaces, until this is released. */
export async function holdRestore(t: TestContext, url: string) {
  const connection = new Connection({ connectionString: superuserUrlOf(url) })
  await connection.connect()
  t.after(() => connection.close())
  await connection.query(`
    create schema hold;
    grant usage on schema hold to public;
    create function hold.row() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(1); return new; end $$;
    create function hold.table() returns event_trigger language plpgsql as $$ begin
      if to_regclass('workspaces') is not null and not exists (select from pg_trigger where tgname = 'hold') then
        create trigger hold before insert on workspaces for each row execute function hold.row();
      end if; end $$;
    create event trigger hold on ddl_command_end when tag in ('CREATE TABLE') execute function hold.table()`)
  await connection.query('select pg_advisory_lock(1)')
  const isWaiting = `select from pg_locks where locktype = 'advisory' and not granted and objid = 1
    and database = (select oid from pg_database where datname = current_database())`
  return {
    reached: () =>
      waitFor('the restore to copy rows', async () => ((await connection.query(isWaiting)).rowCount ?? 0) > 0),
    /** Later restores do not stop. */
    async release() {
      await connection.query('drop event trigger hold; drop schema hold cascade')
      await connection.close()
    },
  }
}
