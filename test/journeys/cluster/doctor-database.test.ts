import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openDb } from '../../../src/lib/db/pool.ts'
import { findPoolerFindings } from '../../../src/operations/doctor/database/pooler.ts'
import { checkReplication, readReplication } from '../../../src/operations/doctor/database/replication.ts'
import type { Finding } from '../../../src/operations/doctor/finding.ts'
import { ownDatabase } from '../../database/database.ts'
import { OTHER_FILE_SLOT, codesOf, problemsOf } from '../../world/findings.ts'
import { TEMPLATE_DATABASE, serverUrl, superuserUrlOf, withConnection } from '../../database/postgres.ts'
import { startTransactionPooler } from '../../faults/transaction-pooler.ts'

test('settings of a database that Doorcode cannot work with are found', async (t) => {
  const { name, url } = await ownDatabase(t)
  const { rows } = await withConnection(url, (connection) =>
    connection.query<{ hasTimeout: boolean }>(
      `select exists (select from pg_settings where name = 'transaction_timeout') as "hasTimeout"`,
    ),
  )
  const settings = {
    'default_transaction_read_only = on': 'database_read_only',
    ...(rows[0]?.hasTimeout && { "transaction_timeout = '5s'": 'transaction_timeout' }), // since PostgreSQL 17
  }
  for (const [setting, code] of Object.entries(settings)) {
    await withConnection(serverUrl(), (connection) => connection.query(`alter database ${name} set ${setting}`))
    await using stack = new AsyncDisposableStack()
    const db = stack.adopt(openDb({ url, poolSize: 2 }), (each) => each.close())
    const found = (await problemsOf({ db })).filter(({ check }) => check === 'database')
    assert.deepEqual(codesOf(found), [code])
    await withConnection(serverUrl(), (connection) => connection.query(`alter database ${name} reset all`))
  }
})

/** Faults of the schema, and what names them. */
const BROKEN: readonly [sql: string, code: Finding['code'], parameters: Record<string, string>][] = [
  ['drop index messages_idempotency_key', 'index_missing', { index: 'messages_idempotency_key' }],
  ['drop index auth."twoFactor_userId_idx"', 'index_missing', { index: 'twoFactor_userId_idx' }],
  [
    `update pg_index set indisvalid = false where indexrelid = 'events_recorded'::regclass`,
    'index_invalid',
    { index: 'events_recorded' },
  ],
  ['alter table messages set (autovacuum_enabled = off)', 'autovacuum_off_for_table', { table: 'messages' }],
  ['alter table events set (toast.autovacuum_enabled = false)', 'autovacuum_off_for_table', { table: 'events' }],
]

test('indexes and tables that someone has changed are found, and each printed command repairs its index', async (t) => {
  const { url } = await ownDatabase(t, TEMPLATE_DATABASE)
  await using stack = new AsyncDisposableStack()
  const db = stack.adopt(openDb({ url, poolSize: 2 }), (each) => each.close())
  const find = async (): Promise<Finding[]> =>
    (await problemsOf({ db })).filter(({ check }) => check === 'schema' || check === 'database')
  assert.deepEqual(await find(), [])
  await withConnection(superuserUrlOf(url), async (connection) => {
    for (const [sql, code, parameters] of BROKEN) {
      await connection.query(sql)
      const [finding, ...others] = await find()
      assert.deepEqual([finding?.code, others], [code, []], sql)
      assert.ok(finding)
      const { command, ...named } = finding.parameters
      assert.deepEqual(named, parameters)
      const repair = {
        index_missing: typeof command === 'string' ? command : '',
        index_invalid: `reindex index concurrently ${parameters['index']}`,
        autovacuum_off_for_table: `alter table ${parameters['table']} reset (autovacuum_enabled, toast.autovacuum_enabled)`,
      }
      await connection.query(repair[code as keyof typeof repair])
      assert.deepEqual(await find(), [], `${code} is repaired`)
    }
  })
})

test('a replication slot that no standby uses is found', async (t) => {
  const { url } = await ownDatabase(t)
  await using stack = new AsyncDisposableStack()
  const db = stack.adopt(openDb({ url, poolSize: 1 }), (each) => each.close())
  const name = `${OTHER_FILE_SLOT}${randomUUID().replaceAll('-', '')}`
  const idle = async (): Promise<boolean> =>
    checkReplication(await readReplication(db)).some(
      ({ code, ...slot }) => code === 'slot_inactive' && 'name' in slot && slot.name === name,
    )
  await withConnection(superuserUrlOf(url), async (connection) => {
    await connection.query('select pg_create_physical_replication_slot($1)', [name])
    assert.ok(!(await idle()), 'a slot that was never used keeps nothing')
    await connection.query('select pg_drop_replication_slot($1)', [name])
    await connection.query('select pg_create_physical_replication_slot($1, true)', [name])
    const isIdle = await idle()
    await connection.query('select pg_drop_replication_slot($1)', [name])
    assert.ok(isIdle)
  })
})

test('a pooler in transaction mode is found', async (t) => {
  const { url } = await ownDatabase(t)
  await using stack = new AsyncDisposableStack()
  const open = (to: string) => stack.adopt(openDb({ url: to, poolSize: 1 }), (each) => each.close())
  assert.deepEqual(await findPoolerFindings(open(url)), [])
  const pooler = stack.use(await startTransactionPooler(url))
  const found = await findPoolerFindings(open(pooler.url))
  assert.deepEqual(
    found.map(({ code }) => code),
    ['pooler_shares_sessions'],
  )
})
