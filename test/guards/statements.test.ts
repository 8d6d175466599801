import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import path from 'node:path'
import { before, test } from 'node:test'
import { statements } from '../../src/db.ts'
import { fileDatabase } from '../database.ts'
import { withConnection } from '../postgres.ts'

const SOURCE = path.resolve(import.meta.dirname, '../../src')

/** Statements that do not name a workspace, and why. */
const OVER_ALL_WORKSPACES: Readonly<Record<string, string>> = {
  ask_server: 'asks the server, not a table',
  ask_the_time: 'asks the server, not a table',
  database_answers: 'asks the server, not a table',
  tell_live_pages: 'asks the server, not a table; names workspaces in what it tells',
  find_server_that_allows_private_webhooks: 'asks the server, not a table',
  find_listening_worker: 'asks the server, not a table',
  find_key_check: 'of the whole instance',
  insert_key_check: 'of the whole instance',
  find_workspace: 'its id is the workspace',
  get_workspace: 'its id is the workspace',
  rename_workspace: 'its id is the workspace',
  insert_workspace: 'its id is the workspace',
  revoke_api_key: 'by the public id of one key, for the operator',
  list_lately_changed_api_keys: 'every node must know every key that was revoked or given another expiry',
  note_api_key_uses: 'by public ids of keys that were used',
  grant_requests: 'by public ids of keys that make requests',
  claim_messages: 'by ids of rows that the same transaction holds locked',
  drop_overtaken_messages: 'by ids of rows that the same transaction holds locked',
  postpone_messages: 'by ids of rows that the same transaction holds locked',
  write_reported_messages: 'by ids of rows that the same transaction holds locked',
  write_confirmations: 'by ids of rows that the same transaction holds locked',
  write_refusal_checks: 'by ids of rows that the same transaction holds locked',
  know_customers: 'by the confirmations of messages that the same transaction has just written',
  know_users: 'by the confirmations that the same transaction has just locked in their workspace',
  end_provider_reports: 'by ids of rows that the same transaction holds locked',
  count_failed_provider_report: 'by the id of a row that was just read',
  take_pair_slots: 'by sender, which belongs to one workspace',
  return_pair_slots: 'by sender, which belongs to one workspace',
  hold_pair: 'by sender, which belongs to one workspace',
  hold_sender: 'by sender, which belongs to one workspace',
  let_sender_go: 'by sender, which belongs to one workspace',
  probe_sender_again: 'by sender, which belongs to one workspace',
  write_sender_paces: 'by sender, which belongs to one workspace',
  remove_idle_pair_paces: 'housekeeping of all of them',
  remove_idle_rate_limits: 'housekeeping of all of them',
  remove_idle_sessions: 'housekeeping of all of them',
  remove_old_sessions: 'housekeeping of all of them',
  remove_verifications: 'housekeeping of all of them',
  remove_sign_in_rates: 'housekeeping of all of them',
  remove_sign_in_attempts: 'housekeeping of all of them',
  remove_access_links: 'housekeeping of all of them',
  replace_password_links: 'of an account, which belongs to no workspace',
  take_sign_in_attempt: 'of an account, which belongs to no workspace',
  forget_sign_in_attempts: 'of an account, which belongs to no workspace',
  insert_person: 'of an account, which belongs to no workspace',
  insert_password: 'of an account, which belongs to no workspace',
  set_password: 'of an account, which belongs to no workspace',
  rename_person: 'of an account, which belongs to no workspace',
  delete_second_factor: 'of an account, which belongs to no workspace',
  find_person_by_email: 'of an account, which belongs to no workspace',
  list_people: 'of the whole instance, for the command line',
  list_sessions_of_person: 'of an account, which belongs to no workspace',
  end_session_of_person: 'of an account, which belongs to no workspace',
  end_sessions_of_person: 'of an account, which belongs to no workspace',
  end_challenges_of_person: 'of an account, which belongs to no workspace',
  insert_operator: 'of the whole instance',
  has_operators: 'of the whole instance',
  instance_has_an_owner: 'of the whole instance',
  lock_first_owner: 'of the whole instance',
}

/** Files that may talk to a connection directly, and why. */
const WITH_QUERIES_OF_THEIR_OWN: Readonly<Record<string, string>> = {
  'db.ts': 'runs the statements',
  'migrate.ts': 'runs the migration files',
  'embedded-postgres.ts': 'holds advisory locks on a connection of its own',
  'jobs/wake.ts': 'listens and notifies on a connection of its own',
}

const sources = new Map<string, string>()

before(async () => {
  for await (const name of glob('**/*.ts', { cwd: SOURCE })) {
    if (!name.endsWith('.test.ts')) sources.set(name, await readFile(path.join(SOURCE, name), 'utf8'))
  }
  // Only files that declare statements: importing cli.ts would run a command.
  for (const [name, text] of sources) {
    if (name !== 'db.ts' && /\bstatement(<|\()/.test(text)) await import(path.join(SOURCE, name))
  }
})

test('every declared statement prepares against the migrated schema', async () => {
  assert.ok(statements.size > 0, 'no statement is declared')
  const faults: string[] = []
  await withConnection(await fileDatabase(), async (connection) => {
    for (const { name, text } of statements.values()) {
      await connection
        .query(`prepare "${name}" as ${text}`)
        .catch((error: Error) => faults.push(`${name}: ${error.message}`))
    }
  })
  assert.deepEqual(faults, [])
})

test('every statement names its workspace or is known to work over all of them', () => {
  const silent = [...statements.values()].filter(({ text }) => !/\bworkspace_id\b/.test(text)).map(({ name }) => name)
  assert.deepEqual(silent.sort(), Object.keys(OVER_ALL_WORKSPACES).sort())
})

test('every name of a statement is short enough for PostgreSQL to tell it from all others', () => {
  const LONGEST_NAME_BYTES = 63
  const long = [...statements.keys()].filter((name) => Buffer.byteLength(name) > LONGEST_NAME_BYTES)
  assert.deepEqual(long, [])
})

test('no file runs SQL that is not a declared statement', () => {
  // a procedure of the dashboard is given a function, a connection never is
  const own = [...sources].filter(([, text]) => /\.query[<(](?!\s*(\(|async\b))/.test(text)).map(([name]) => name)
  assert.deepEqual(own.sort(), Object.keys(WITH_QUERIES_OF_THEIR_OWN).sort())
})
