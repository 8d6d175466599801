import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listExpectedIndexes } from '../../src/operations/doctor/database/schema.ts'
import { type Table, lifeOf } from '../../src/operations/columns.ts'
import { fileDatabase } from '../database/database.ts'
import { withConnection } from '../database/postgres.ts'

/** Of these some rows belong to a workspace, and others to the whole instance or an account. */
const PARTLY_OF_WORKSPACE: readonly Table[] = ['access_links', 'audit_log']

/** Tables of the whole instance, or whose rows are part of a row that has a workspace. */
const mayLackWorkspace = (table: string): boolean => {
  const { purge, partOf } = lifeOf(table as Table)
  return purge === 'stays' || partOf !== undefined || PARTLY_OF_WORKSPACE.includes(table as Table)
}

const WITH_WORKSPACE = `exists (
  select from pg_attribute a where a.attrelid = c.oid and a.attname = 'workspace_id' and a.attnotnull)`

/** Foreign keys between tables of a workspace that do not carry it, and why. */
const WITHOUT_CARRYING_IT: Readonly<Record<string, string>> = {
  members_user_id_fkey: 'people belong to no workspace, and a member to both',
  webhook_attempts_delivery_id_fkey: 'an attempt is written by the statement that holds its delivery',
}

type ForeignKey = { name: string; to: string; columns: string[] }

test('every table belongs to a workspace, or stays when a workspace is deleted', async () => {
  const lacking = await ask<{ name: string }>(`
    select c.relname as name from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not ${WITH_WORKSPACE}`)
  assert.ok(lacking.length > 5)
  assert.deepEqual(
    lacking.filter(({ name }) => !mayLackWorkspace(name)),
    [],
  )
})

test('every foreign key between tables of a workspace carries the workspace', async () => {
  const keys = await ask<ForeignKey>(`
    select k.conname as name, t.relname as to, array(
      select a.attname::text from unnest(k.conkey) with ordinality as column_of (number, place)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = column_of.number order by place
    ) as columns
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class t on t.oid = k.confrelid
    where k.contype = 'f' and k.connamespace = 'public'::regnamespace and ${WITH_WORKSPACE}`)
  assert.ok(keys.length > 5, 'the query finds the foreign keys')
  const bare = keys.filter(({ columns }) => !columns.includes('workspace_id'))
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
