import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { before, test } from 'node:test'
import { type DeclaredStatement, declaredStatements, prepareText, statementsFile } from '../../docs/statements.ts'
import { fileDatabase } from '../database/database.ts'
import { withConnection } from '../database/postgres.ts'

const SOURCE = path.resolve(import.meta.dirname, '../../src')

/** Statements that do not name a workspace, and why. */
const OVER_ALL_WORKSPACES: Readonly<Record<string, string>> = {
  find_lost_session_settings: 'concerns the whole instance',
  find_newest_migration: 'concerns the whole instance',
  find_contracting_migration: 'concerns the whole instance',
  find_synchronous_replication: 'concerns the whole instance',
  list_nodes: 'concerns the whole instance',
  list_standbys: 'concerns the whole instance',
  find_oldest_transaction: 'concerns the whole instance',
  list_transactions_that_lock_tables: 'concerns the whole instance',
  list_idle_replication_slots: 'concerns the whole instance',
  list_tables_without_autovacuum: 'reads the catalog',
  list_indexes: 'reads the catalog',
  list_frozen_nodes: 'concerns the whole instance',
  count_operators_without_second_factor: 'concerns the whole instance',
  list_tables_of_migration: 'reads the catalog',
  list_sessions_that_lock_tables: 'reads the catalog',
  list_transactions_that_write_messages: 'reads the catalog',
  read_server_facts: 'concerns the whole instance',
  count_old_leases: 'concerns the whole instance',
  check_server: 'reads no table',
  check_writable: 'reads no table',
  emit_nothing: 'reads no table',
  cancel_commit: 'reads no table',
  select_time: 'reads no table',
  ping_database: 'reads no table',
  limit_lock_wait: 'reads no table',
  notify_nodes: 'reads no table; its payload names workspaces or kinds of work',
  find_node_that_allows_private_webhooks: 'concerns the whole instance',
  is_any_worker_alive: 'concerns the whole instance',
  find_dead_nodes: 'concerns the whole instance',
  remove_nodes: 'concerns the whole instance',
  begin_lease: 'one claim takes from many of them',
  prevent_leases: 'one claim takes from many of them',
  take_leases: 'one claim takes from many of them',
  remove_leases: 'one claim takes from many of them',
  advance_due_time_of_messages: 'by ids of rows that were claimed, and their lease',
  give_back_deliveries: 'by ids of rows that were claimed, and their lease',
  find_instance: 'concerns the whole instance',
  insert_instance: 'concerns the whole instance',
  share_instance: 'concerns the whole instance',
  lock_instance: 'concerns the whole instance',
  lock_waba_id: 'reads no table',
  update_instance: 'concerns the whole instance',
  list_live_nodes: 'concerns the whole instance',
  find_oldest_due_work: 'concerns the whole instance',
  end_all_sessions: 'concerns the whole instance',
  end_all_challenges: 'concerns the whole instance',
  lock_second_factors: 'concerns the whole instance',
  write_second_factor: 'of an account, which belongs to no workspace',
  get_workspace: 'its id is the workspace',
  rename_workspace: 'its id is the workspace',
  insert_workspace: 'its id is the workspace',
  update_api_key_uses: 'by public ids of keys that were used',
  grant_requests: 'by public ids of keys that make requests',
  claim_messages: 'by ids of rows that the same transaction holds locked',
  postpone_messages: 'by ids of rows that the same transaction holds locked',
  write_reported_messages: 'by ids of rows that the same transaction holds locked',
  write_confirmations: 'by ids of rows that the same transaction holds locked',
  write_refusal_checks: 'by ids of rows that the same transaction holds locked',
  store_customer_user_ids: 'by ids of rows that the same transaction holds locked',
  end_provider_reports: 'by ids of rows that the same transaction holds locked',
  count_failed_provider_report: 'by the id of a row that was just read',
  take_pair_slots: 'by sender, which belongs to one workspace',
  return_pair_slots: 'by sender, which belongs to one workspace',
  open_pair_breaker: 'by sender, which belongs to one workspace',
  open_sender_breaker: 'by sender, which belongs to one workspace',
  close_sender_breaker: 'by sender, which belongs to one workspace',
  repeat_sender_trial: 'by sender, which belongs to one workspace',
  write_sender_paces: 'by sender, which belongs to one workspace',
  remove_idle_pair_paces: 'housekeeping of all of them',
  remove_idle_rate_limits: 'housekeeping of all of them',
  remove_old_leases: 'housekeeping of all of them',
  remove_idle_sessions: 'housekeeping of all of them',
  remove_old_sessions: 'housekeeping of all of them',
  remove_verifications: 'housekeeping of all of them',
  remove_sign_in_rates: 'housekeeping of all of them',
  remove_sign_in_attempts: 'housekeeping of all of them',
  remove_used_sign_in_codes: 'housekeeping of all of them',
  remove_access_links: 'housekeeping of all of them',
  count_workspaces_due_for_deletion: 'of all of them',
  find_removal_guard: 'one row for the whole instance',
  find_newest_records: 'of the whole instance',
  lock_removal_guard: 'one row for the whole instance',
  open_removal_guard: 'one row for the whole instance',
  write_removal_guard: 'one row for the whole instance',
  list_retention_positions: 'retention of all of them',
  list_long_postponed_retention: 'retention of all of them',
  empty_message_attempts: 'retention of all of them',
  empty_messages: 'retention of all of them',
  select_parameters_of_confirmations: 'retention of all of them',
  remove_parameters_of_confirmations: 'retention of all of them',
  select_parameters_of_refusal_checks: 'retention of all of them',
  remove_parameters_of_refusal_checks: 'retention of all of them',
  empty_cod_answers: 'retention of all of them',
  empty_webhook_attempts: 'retention of all of them',
  empty_events: 'retention of all of them',
  empty_provider_reports: 'retention of all of them',
  remove_confirmations: 'retention of all of them',
  remove_messages: 'retention of all of them',
  remove_events: 'retention of all of them',
  find_pings_to_remove: 'retention of all of them',
  find_messages_to_remove: 'retention of all of them',
  remove_provider_reports: 'retention of all of them',
  remove_template_changes: 'retention of all of them',
  remove_audit_log: 'retention of all of them',
  open_retention_steps: 'retention of all of them',
  lock_retention_step: 'retention of all of them',
  advance_retention_step: 'retention of all of them',
  select_postponed_retention: 'retention of all of them',
  end_postponed_retention: 'retention of all of them',
  postpone_retention: 'retention of all of them',
  find_kept_since: 'retention of all of them',
  find_removal_of_events: 'retention of all of them',
  take_sign_in_attempt: 'of an account, which belongs to no workspace',
  delete_sign_in_attempts: 'of an account, which belongs to no workspace',
  find_locked_second_factor: 'of an account, which belongs to no workspace',
  use_sign_in_code: 'of an account, which belongs to no workspace',
  release_sign_in_code: 'of an account, which belongs to no workspace',
  insert_person: 'of an account, which belongs to no workspace',
  insert_password: 'of an account, which belongs to no workspace',
  set_password: 'of an account, which belongs to no workspace',
  rename_person: 'of an account, which belongs to no workspace',
  delete_second_factor: 'of an account, which belongs to no workspace',
  find_person_by_email: 'of an account, which belongs to no workspace',
  list_people: 'of the whole instance, for the command line',
  find_workspace_clock: 'its id is the workspace',
  lock_workspace: 'its id is the workspace',
  ask_workspace_deletion: 'its id is the workspace',
  cancel_workspace_deletion: 'its id is the workspace',
  delete_workspaces_due: 'deletes all that are due',
  lock_workspace_to_purge: 'takes the first that is deleted',
  end_workspace_purge: 'its id is the workspace',
  list_workspaces: 'of the whole instance, for the command line',
  list_workspaces_of_any_schema: 'of the whole instance, before `npm start` works on it',
  list_sessions_of_person: 'of an account, which belongs to no workspace',
  end_session_of_person: 'of an account, which belongs to no workspace',
  end_sessions_of_person: 'of an account, which belongs to no workspace',
  end_challenges_of_person: 'of an account, which belongs to no workspace',
  insert_operator: 'concerns the whole instance',
  has_operators: 'concerns the whole instance',
  lock_first_owner: 'concerns the whole instance',
}

/** Walks a table of all workspaces: those of each step of retention are made in one place. */
const STEP_OF_RETENTION = /^(page|next|count|find|lock)_(content|records|audit)_of_/

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

test('every statement names its workspace or is listed as global', () => {
  const silent = declared
    .filter(({ name, text }) => !/\bworkspace_id\b/.test(text) && !STEP_OF_RETENTION.test(name))
    .map(({ name }) => name)
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
