import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { declaredStatements } from '../../docs/statements.ts'
import { fileDatabase } from '../database/database.ts'
import { withConnection } from '../database/postgres.ts'
import { roomOf, rooms } from '../world/rooms.ts'
import { FUNCTION_USES, type Use, strongest, usedTables } from '../world/used-tables.ts'

/**
 * The tables of each room, separated by spaces. Other rooms use them only as ALLOWED says. What is not a declared statement is not
 * checked: test/guards/statements.test.ts lists those files.
 */
const OWNED: Readonly<Record<string, string>> = {
  // The sign-in library writes those of `auth` as well.
  admin: `access_links audit_log members operators sign_in_attempts used_sign_in_codes
    auth.account auth.rateLimit auth.session auth.twoFactor auth.user auth.verification`,
  charts: 'daily_figures',
  sandbox: 'sandbox_work',
  'operations/lifecycle': 'removal_guard retention retention_postponed unfinished_erasures',
  'operations/doctor': 'doctor_findings doctor_runs',
  otp: 'auth_hooks otp_checks otp_verifications',
  cod: 'cod_answers cod_settings confirmations refusal_checks',
  messages: 'message_attempts messages pair_pace provider_reports sender_pace',
  webhooks: 'webhook_attempts webhook_deliveries webhook_endpoints',
  events: 'events',
  accounts: 'provider_accounts senders template_changes templates',
  workspaces: 'api_keys blocked_recipients clock_moves quota_usage quotas workspaces',
  'operations/secrets': 'instance',
  'lib/http': 'rate_limits',
  'runtime/jobs': 'leases nodes traces',
  lib: 'migrations',
}

/** What a room may do at most with tables of other rooms, and why. */
const ALLOWED: readonly { room: string; may: Use; tables: string; why: string }[] = [
  // Rooms that span the instance: they are above the rooms that own the tables.
  {
    room: 'operations/lifecycle',
    may: 'write',
    tables: `${OWNED['cod']} ${OWNED['otp']} ${OWNED['messages']} ${OWNED['webhooks']} ${OWNED['events']} ${OWNED['accounts']}
      ${OWNED['workspaces']} ${OWNED['charts']} ${OWNED['sandbox']} access_links audit_log members`,
    why: 'ends data: by age, for a person, or with its workspace',
  },
  {
    room: 'operations/lifecycle',
    may: 'read',
    tables: 'nodes',
    why: 'the newest heartbeat shows when the instance last worked',
  },
  {
    room: 'operations/secrets',
    may: 'write',
    tables: 'auth_hooks messages otp_verifications provider_accounts unfinished_erasures webhook_endpoints',
    why: 'seals everything again under a new instance key',
  },
  {
    room: 'operations/verify',
    may: 'read',
    tables: `${OWNED['webhooks']} ${OWNED['events']} messages provider_reports otp_verifications confirmations refusal_checks quota_usage api_keys auth_hooks workspaces
      daily_figures instance`,
    why: 'compares what is stored with the facts that it follows from',
  },
  {
    room: 'operations/doctor',
    may: 'read',
    tables: `sender_pace messages otp_verifications provider_reports webhook_deliveries webhook_endpoints confirmations refusal_checks
      daily_figures provider_accounts senders template_changes templates leases unfinished_erasures workspaces operators auth.user`,
    why: 'finds what waits for too long, whose it is, and what is wrong',
  },
  {
    room: 'explain',
    may: 'read',
    tables: `${OWNED['webhooks']} ${OWNED['events']} message_attempts messages otp_verifications provider_reports sender_pace cod_answers
      confirmations refusal_checks provider_accounts senders templates api_keys auth_hooks quotas`,
    why: 'tells all that is known about a message, its verification or a confirmation',
  },
  {
    room: 'charts',
    may: 'read',
    tables: `messages otp_verifications provider_reports cod_answers cod_settings confirmations refusal_checks quota_usage quotas workspaces`,
    why: 'counts them per day of the delivery zone',
  },
  {
    room: 'sandbox',
    may: 'write',
    tables: `messages pair_pace provider_reports sender_pace otp_verifications confirmations refusal_checks webhook_deliveries webhook_endpoints`,
    why: 'shifts all due times when the clock of a sandbox moves',
  },
  {
    room: 'sandbox',
    may: 'read',
    tables: 'events webhook_attempts provider_accounts senders workspaces',
    why: 'waits for all work that is due, and counts what happened',
  },
  {
    room: 'admin',
    may: 'read',
    tables: 'api_keys auth_hooks confirmations messages provider_accounts senders webhook_endpoints',
    why: 'names what an entry of the audit log is about, and finds which first steps are done',
  },
  {
    room: 'admin',
    may: 'read',
    tables: 'clock_moves cod_settings sandbox_work workspaces',
    why: 'reads a membership with the name, time and delivery zone of its workspace',
  },

  {
    room: 'runtime/background',
    may: 'read',
    tables:
      'messages otp_verifications provider_reports confirmations refusal_checks webhook_deliveries webhook_endpoints sandbox_work leases nodes provider_accounts workspaces doctor_findings doctor_runs',
    why: 'looks for the due work of all idle loops in one statement',
  },

  // One statement, so that its parts commit together without another round trip.
  {
    room: 'otp',
    may: 'write',
    tables: 'messages quota_usage sender_pace pair_pace leases',
    why: 'accepts a request: its key, quota unit, message and work, which it claims for its process if no earlier code to the recipient waits',
  },
  {
    room: 'cod',
    may: 'write',
    tables: 'messages quota_usage',
    why: 'accepts a request: its key, quota unit, confirmation, message and work',
  },
  {
    room: 'otp',
    may: 'read',
    tables: 'blocked_recipients instance provider_accounts quotas senders templates workspaces',
    why: 'one look-up for each group of requests, and the key that sealed a code is still in use when it is stored',
  },
  {
    room: 'cod',
    may: 'read',
    tables: 'blocked_recipients provider_accounts quotas senders templates workspaces',
    why: 'one look-up for each group of requests; a conversation has the sender and the time of its workspace',
  },
  { room: 'accept', may: 'read', tables: 'messages', why: 'finds which requests of a group are stored' },
  { room: 'messages', may: 'write', tables: 'leases', why: 'a claim and its lease' },
  { room: 'webhooks', may: 'write', tables: 'leases', why: 'a claim and its lease' },
  { room: 'messages', may: 'read', tables: 'traces', why: 'the trace of a report is that of its message' },
  { room: 'webhooks', may: 'read', tables: 'traces', why: 'the trace of a delivery is that of its event' },
  {
    room: 'messages',
    may: 'read',
    tables: 'provider_accounts senders templates workspaces',
    why: 'claims only what can be sent, with what is needed to send it; lists name the sender',
  },
  {
    room: 'events',
    may: 'write',
    tables: 'webhook_deliveries leases',
    why: 'an event and its deliveries, which it claims for its process if nothing waits before them',
  },
  {
    room: 'events',
    may: 'read',
    tables: 'webhook_endpoints',
    why: 'one delivery for each endpoint that receives the event',
  },
  { room: 'webhooks', may: 'lock', tables: 'events', why: 'an event must not be erased while it is sent again' },

  // Rows of lower rooms.
  {
    room: 'events',
    may: 'write',
    tables: 'instance',
    why: 'keeps there what is added to the order of events after a restore',
  },
  { room: 'events', may: 'read', tables: 'workspaces', why: 'reads the newest events of each' },
  { room: 'accounts', may: 'read', tables: 'workspaces', why: 'leaves out accounts of deleted ones' },

  // Rows of higher rooms.
  {
    room: 'runtime/jobs',
    may: 'read',
    tables: 'instance',
    why: 'each heartbeat reads the key check and the sign-in secret',
  },
  { room: 'accounts', may: 'write', tables: 'sender_pace', why: 'a new sender gets its pace with its row' },
  {
    room: 'messages',
    may: 'read',
    tables: 'confirmations otp_verifications',
    why: 'lists find and name messages of conversations by reference, and show whether a code was verified; a report of an erased person is not kept',
  },
  { room: 'operations/secrets', may: 'read', tables: 'audit_log', why: 'tells when the instance key was replaced' },
]

const listed = (tables: string): string[] => tables.split(/\s+/)

type Used = { room: string; use: Use; table: string; statement: string }

const ownerOf = new Map(Object.entries(OWNED).flatMap(([room, tables]) => listed(tables).map((table) => [table, room])))
let tables: string[] = []
/** Of the tables of other rooms. */
let used: Used[] = []

before(async () => {
  tables = await withConnection(await fileDatabase(), async (connection) => {
    const { rows } = await connection.query<{ name: string }>(
      `select case schemaname when 'public' then '' else schemaname || '.' end || tablename as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    return rows.map(({ name }) => name)
  })
  const uses = (await declaredStatements()).map(async ({ name: statement, file, text }) => {
    const room = roomOf(file.replace('src/', ''))
    return [...(await usedTables(text))].map(([table, use]) => ({ room, use, table, statement }))
  })
  used = (await Promise.all(uses))
    .flat()
    .filter(({ room, table }) => tables.includes(table) && ownerOf.get(table) !== room)
})

test('every table has one owner', () => {
  assert.deepEqual(Object.values(OWNED).flatMap(listed).sort(), tables.toSorted())
  assert.deepEqual(
    Object.keys(OWNED).filter((room) => !rooms.includes(room)),
    [],
  )
})

test('the guard of tables knows what every function of the schema uses', async () => {
  const functions = await withConnection(await fileDatabase(), async (connection) => {
    const { rows } = await connection.query<{ name: string }>(
      `select proname as name from pg_proc where pronamespace = 'public'::regnamespace`,
    )
    return rows.map(({ name }) => name)
  })
  assert.deepEqual(functions.sort(), Object.keys(FUNCTION_USES))
})

test('every statement uses only tables of its room, and others as it is allowed here', () => {
  const forbidden = used.filter(
    ({ room, use, table }) =>
      !ALLOWED.some(
        (row) => row.room === room && listed(row.tables).includes(table) && strongest([row.may, use]) === row.may,
      ),
  )
  assert.deepEqual(
    forbidden.map(({ room, use, table, statement }) => `${room} may not ${use} ${table}: ${statement}`),
    [],
  )
})

test('every permission to use a table of another room is needed', () => {
  const unused = ALLOWED.flatMap(({ room, may, tables }) =>
    listed(tables)
      .filter((table) => !used.some((each) => each.room === room && each.table === table && each.use === may))
      .map((table) => `${room} does not ${may} ${table}`),
  )
  assert.deepEqual(unused, [])
})

for (const [text, expected] of [
  ['select 1 from messages m join events on true', 'events: read, messages: read'],
  ['with recent as (select 1 from messages) select 1 from recent', 'messages: read'],
  [
    'with gone as (delete from events returning id) insert into leases select id from gone',
    'events: write, leases: write',
  ],
  ['update messages set status = (select 1 from senders)', 'messages: write, senders: read'],
  ['insert into messages select * from messages', 'messages: write'],
  ['insert into auth."user" values (1)', 'auth.user: write'],
  ['select 1 from messages m, (select 1 from events) e for update', 'events: read, messages: lock'],
  ['select 1 from messages m join senders s on true for share of m', 'messages: lock, senders: read'],
  ['select (select 1 from events for update)', 'events: lock'],
  ["select take_units(id, 'otp', now(), 1) from workspaces", 'quota_usage: write, workspaces: read'],
] as const)
  test(`the guard of tables finds: ${text}`, async () => {
    const found = [...(await usedTables(text))].map((each) => each.join(': '))
    assert.equal(found.sort().join(', '), expected)
  })
