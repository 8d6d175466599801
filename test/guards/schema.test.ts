import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listExpectedIndexes } from '../../src/operations/doctor/database/schema.ts'
import { fileDatabase } from '../database/database.ts'
import { withConnection } from '../database/postgres.ts'

/** Tables without a workspace, and why. */
const WITHOUT_WORKSPACE: Readonly<Record<string, string>> = {
  instance: 'one row for the whole instance',
  nodes: 'a process works for all of them',
  leases: 'one claim takes from many of them',
  migrations: 'the schema is everybody’s',
  workspaces: 'its id is the workspace',
  rate_limits: 'the key in it belongs to one workspace; worth nothing after a second',
  removal_guard: 'one row for the whole instance',
  retention: 'how far the removal of old rows has come, of all workspaces',
  retention_postponed: 'ids of rows that could not be removed yet, of all workspaces',
  sender_pace: 'the sender in it belongs to one workspace',
  pair_pace: 'the sender in it belongs to one workspace',
  operators: 'they run the whole instance',
  access_links: 'some let into the whole instance, or are for an account',
  sign_in_attempts: 'of accounts, which belong to no workspace',
  used_sign_in_codes: 'of accounts, which belong to no workspace',
  audit_log: 'some entries are of the whole instance, or of an account',
}

/** Foreign keys between tables of a workspace that do not carry it, and why. */
const WITHOUT_CARRYING_IT: Readonly<Record<string, string>> = {
  members_user_id_fkey: 'people belong to no workspace, and a member to both',
  webhook_attempts_delivery_id_fkey: 'an attempt is written by the statement that holds its delivery',
}

type ForeignKey = { name: string; from: string; to: string; columns: string[] }

test('every table belongs to a workspace or is listed as not', async () => {
  const tables = await ask<{ name: string; scoped: boolean }>(`
    select c.relname as name, exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and a.attnotnull
    ) as scoped
    from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace`)
  assert.deepEqual(
    tables
      .filter(({ scoped }) => !scoped)
      .map(({ name }) => name)
      .sort(),
    Object.keys(WITHOUT_WORKSPACE).sort(),
  )
})

test('every foreign key between tables of a workspace carries the workspace', async () => {
  const keys = await ask<ForeignKey>(`
    select k.conname as name, f.relname as from, t.relname as to, array(
      select a.attname::text from unnest(k.conkey) with ordinality as column_of (number, place)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = column_of.number order by place
    ) as columns
    from pg_constraint k join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace`)
  assert.ok(keys.length > 5, 'the query finds the foreign keys')
  const bare = keys.filter(({ from, columns }) => !(from in WITHOUT_WORKSPACE) && !columns.includes('workspace_id'))
  assert.deepEqual(bare.map(({ name }) => name).sort(), Object.keys(WITHOUT_CARRYING_IT).sort())
})

test('every constraint has an explicit or PostgreSQL’s default name', async () => {
  const checks = await ask<{ name: string; table: string }>(`
    select conname as name, conrelid::regclass::text as table from pg_constraint
    where contype = 'c' and connamespace = 'public'::regnamespace`)
  const numbered = checks.filter(({ name }) => /_check\d+$/.test(name))
  assert.deepEqual(numbered, [])
})

test('doctor expects exactly the indexes that the migrations create', async () => {
  const indexes = await ask<{ name: string }>(`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where c.relnamespace in ('public'::regnamespace, 'auth'::regnamespace)
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u'))`)
  assert.deepEqual([...(await listExpectedIndexes()).keys()].sort(), indexes.map(({ name }) => name).sort())
})

async function ask<Row extends object>(text: string): Promise<Row[]> {
  const url = await fileDatabase()
  return withConnection(url, async (connection) => (await connection.query<Row>(text)).rows)
}
