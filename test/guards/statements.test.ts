import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { before, test } from 'node:test'
import { type DeclaredStatement, declaredStatements, prepareText, statementsFile } from '../../docs/statements.ts'
import { fileDatabase } from '../database/database.ts'
import { withConnection } from '../database/postgres.ts'
import { usedTables } from '../world/used-tables.ts'

const SOURCE = path.resolve(import.meta.dirname, '../../src')

/** Statements on tables with a workspace that do not name it, and why. */
const OVER_ALL_WORKSPACES: Readonly<Record<string, string>> = {
  await_reports_of_messages: 'by ids of rows that were claimed, and their lease',
  give_back_deliveries: 'by ids of rows that were claimed, and their lease',
  find_oldest_due_report: 'concerns the whole instance',
  find_oldest_due_timer: 'concerns the whole instance',
  find_due_work: 'concerns the whole instance',
  find_oldest_due_delivery: 'concerns the whole instance',
  find_oldest_due_undelivered: 'concerns the whole instance',
  find_oldest_due_verification: 'concerns the whole instance',
  count_due_undelivered: 'concerns the whole instance',
  count_due_verifications: 'concerns the whole instance',
  count_due_reports: 'concerns the whole instance',
  count_due_timers: 'concerns the whole instance',
  count_due_deliveries: 'concerns the whole instance',
  count_sender_breakers: 'concerns the whole instance',
  get_workspace: 'its id is the workspace',
  rename_workspace: 'its id is the workspace',
  insert_workspace: 'its id is the workspace',
  update_api_key_uses: 'by public ids of keys that were used',
  claim_messages: 'by ids of rows that the same transaction holds locked',
  postpone_messages: 'by ids of rows that the same transaction holds locked',
  write_reported_messages: 'by ids of rows that the same transaction holds locked',
  write_confirmations: 'by ids of rows that the same transaction holds locked',
  write_refusal_checks: 'by ids of rows that the same transaction holds locked',
  store_customer_user_ids: 'by ids of rows that the same transaction holds locked',
  end_provider_reports: 'by ids of rows that the same transaction holds locked',
  count_failed_provider_report: 'by the id of a row that was just read',
  find_traces_of_messages: 'by the ids of messages whose reports were just processed',
  find_waiting_provider_report: 'a backlog in any workspace delays timers',
  find_traces_of_events: 'by the ids of events whose deliveries were just claimed',
  take_pair_slots: 'by sender, which belongs to one workspace',
  return_pair_slots: 'by sender, which belongs to one workspace',
  open_pair_breaker: 'by sender, which belongs to one workspace',
  open_sender_breaker: 'by sender, which belongs to one workspace',
  close_sender_breaker: 'by sender, which belongs to one workspace',
  correct_account_sync_times: 'the clock of the database is that of all workspaces',
  correct_breaker_times: 'the clock of the database is that of all workspaces',
  correct_message_times: 'the clock of the database is that of all workspaces',
  correct_report_times: 'the clock of the database is that of all workspaces',
  correct_delivery_times: 'the clock of the database is that of all workspaces',
  correct_release_times: 'the clock of the database is that of all workspaces',
  repeat_sender_trial: 'by sender, which belongs to one workspace',
  write_undelivered_messages: 'by id; lock_messages_for_reports has found these rows in their workspaces',
  write_verifications: 'by id; lock_verifications has found these rows in their workspaces',
  write_sender_paces: 'by sender, which belongs to one workspace',
  remove_idle_pair_paces: 'housekeeping of all of them',
  remove_access_links: 'housekeeping of all of them',
  list_people: 'of the whole instance, for the command line',
  find_workspace_clock: 'its id is the workspace',
  find_clock_behind: 'its id is the workspace',
  lock_workspace: 'its id is the workspace',
  request_workspace_deletion: 'its id is the workspace',
  cancel_workspace_deletion: 'its id is the workspace',
  delete_workspaces_due: 'deletes all that are due',
  lock_workspace_to_purge: 'takes the first that is deleted',
  end_workspace_purge: 'its id is the workspace',
  list_workspaces: 'of the whole instance, for the command line',
  list_workspaces_of_any_schema: 'of the whole instance, before `npm start` works on it',
}

/** What is older than the settings say is removed from all workspaces. */
const RETENTION = 'src/operations/lifecycle/retention/'

/** Files that may talk to a connection directly, and why. */
const WITH_QUERIES_OF_THEIR_OWN: Readonly<Record<string, string>> = {
  'lib/db/pool.ts': 'runs the statements',
  'operations/backup/backup.ts': 'reads all tables in one transaction',
  'operations/backup/load.ts': 'writes all tables in one transaction',
  'operations/backup/tables.ts': 'reads the catalog in the transaction of a backup or restore',
  'operations/backup/copy.ts': 'runs COPY, which cannot be prepared',
  'lib/db/migration-locks.ts': 'its connection is the one that migrates',
  'lib/db/migrate.ts': 'runs the migration files',
  'lib/db/pooler.ts': 'compares two connections of its own',
  'runtime/start/embedded-postgres/owner.ts': 'makes the role that everything else runs as',
  'runtime/start/embedded-postgres/server.ts': 'holds advisory locks on a connection of its own',
  'runtime/jobs/node.ts': 'keeps its row and its lock on a connection of its own',
  'runtime/jobs/wake.ts': 'listens on a connection of its own',
}

let declared: DeclaredStatement[] = []

before(async () => {
  declared = await declaredStatements()
})

test('every declared statement prepares against the migrated schema', async () => {
  assert.ok(declared.length > 0, 'no statement is declared')
  const faults: string[] = []
  await withConnection(await fileDatabase(), async (connection) => {
    for (const each of declared) {
      await connection.query(prepareText(each)).catch((error: Error) => faults.push(`${each.name}: ${error.message}`))
    }
  })
  assert.deepEqual(faults, [])
})

test('docs/statements.sql has every statement as it is sent', async () => {
  const written = await readFile(path.join(import.meta.dirname, '../../docs/statements.sql'), 'utf8')
  assert.ok(written === statementsFile(declared), 'run "npm run docs"')
})

test('every statement on tables of workspaces names its workspace or is listed as global', async () => {
  const ofWorkspaces = await withConnection(await fileDatabase(), async (connection) => {
    const { rows } = await connection.query<{ name: string }>(
      `select table_name as name from information_schema.columns where column_name in ('workspace_id', 'sender_id')
       union select 'workspaces'`,
    )
    return new Set(rows.map(({ name }) => name))
  })
  const silent: string[] = []
  for (const { name, file, text } of declared) {
    if (/\bworkspace_id\b/.test(text) || file.startsWith(RETENTION)) continue
    if (!ofWorkspaces.isDisjointFrom(await usedTables(text))) silent.push(name)
  }
  assert.deepEqual(silent.sort(), Object.keys(OVER_ALL_WORKSPACES).sort())
})

/** Each changes one row. */
const JOINED_WITH_ITS_CHOICE = ['raise_order_of_events', 'resend_delivery']

test('no statement updates or deletes rows by a join with those that it chose', () => {
  const joined = declared.filter(({ text }) => {
    const chosen = [...text.matchAll(/\b(\w+)(?: \([^)]*\))? as (?:materialized )?\(/g)].map(([, name]) => name)
    const sources = text.matchAll(
      /\b(?:update|delete from)\b(?:(?!\breturning\b|\bselect\b)[^])*?\b(?:from|using) (\w+)/g,
    )
    return [...sources].some(([, source]) => chosen.includes(source))
  })
  const names = joined.filter(({ text }) => !text.includes('= any (array (select id from')).map(({ name }) => name)
  assert.deepEqual(
    names.sort(),
    JOINED_WITH_ITS_CHOICE,
    'a plan made for a small table may compare each of its rows with each chosen one',
  )
})

test('statement names are short enough for PostgreSQL not to truncate', () => {
  const LONGEST_NAME_BYTES = 63
  const long = declared.filter(({ name }) => Buffer.byteLength(name) > LONGEST_NAME_BYTES)
  assert.deepEqual(long, [])
})

test('no file runs SQL that is not a declared statement', async () => {
  const own: string[] = []
  for await (const name of glob('**/*.ts', { cwd: SOURCE, exclude: ['**/*.test.ts'] })) {
    // a dashboard procedure takes a function, a connection's query never does
    if (/\.query[<(](?!\s*(\(|async\b))/.test(await readFile(path.join(SOURCE, name), 'utf8'))) own.push(name)
  }
  assert.deepEqual(own.sort(), Object.keys(WITH_QUERIES_OF_THEIR_OWN).sort())
})
