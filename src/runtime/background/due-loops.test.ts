import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS, MINUTE_MS, later } from '../../lib/clock.ts'
import { spyOnDb } from '../../../test/database/db-spy.ts'
import { waitFor } from '../../../test/world/wait-for.ts'
import { startWorld } from '../../../test/world/world.ts'
import { newId } from '../../lib/ids.ts'
import { lockSenders } from '../../messages/queue/lock-senders.ts'
import { FIRST_CURSOR, findDueEndpoints } from '../../webhooks/delivery/claim.ts'
import { FROM_BEGINNING, type SearchStart } from '../jobs/search-start.ts'
import { findDueLoops } from './due-loops.ts'
import { backgroundLoops } from './table.ts'

const WATCHED = [
  'submit',
  'overdue',
  'reports',
  'timers',
  'verifications',
  'undelivered',
  'deliver',
  'release',
  'sandbox',
  'leases',
  'sync',
  'purge',
  'doctor',
]

test('work of every kind is found when it becomes due, and not before', async (t) => {
  const world = await startWorld(t)
  const { parts } = world
  const find = async (at: Date) => (await findDueLoops({ ...parts, clock: { now: () => at } }, FROM_BEGINNING)).due
  const receiver = await world.receiver()
  await world.settled()
  const now = world.clock.now()
  const setSyncDue = (at: Date) => world.query('update provider_accounts set sync_due_at = $1', [at])
  await setSyncDue(later(now, 40 * DAY_MS))
  await world.query('insert into doctor_runs (due_at, outside_due_at) values ($1, $1)', [later(now, 40 * DAY_MS)])
  assert.deepEqual(await find(later(now, 30 * DAY_MS)), Object.fromEntries(WATCHED.map((name) => [name, false])))

  receiver.always({ status: 500 })
  await world.codSettings()
  await world.createConfirmation()
  const otp = await world.sendOtp({ deliverWithinSeconds: 600 })
  await world.whatsapp.reports(otp, ['sent'])
  await world.startVerification()
  await world.settled()
  await world.query(
    `insert into provider_reports (id, workspace_id, account_id, kind, body, received_at, due_at, outcome)
    values ($1, $2, $3, 'status', '{}', now(), $4, 'parked')`,
    [newId(), world.workspaceId, world.account.accountId, later(now, DAY_MS)],
  )
  await world.query('update webhook_endpoints set release_at = $2 where workspace_id = $1', [
    world.workspaceId,
    later(now, DAY_MS),
  ])
  await world.query(
    `insert into sandbox_work (workspace_id, kind, requested_at, due_at, until_offset_ms) values ($1, 'empty', now(), $2, 0)`,
    [world.workspaceId, later(now, DAY_MS)],
  )
  await setSyncDue(later(now, DAY_MS))
  await world.query('update doctor_runs set due_at = $1', [later(now, DAY_MS)])
  await world.query('update workspaces set deletion_requested_at = now(), deletion_due_at = $2 where id = $1', [
    world.workspaceId,
    later(now, DAY_MS),
  ])
  await world.query('update messages set due_at = $3 where workspace_id = $1 and id = $2', [
    world.workspaceId,
    otp.messageId,
    later(now, DAY_MS),
  ])
  assert.deepEqual(await find(now), Object.fromEntries(WATCHED.map((name) => [name, false])))
  assert.equal((await find(later(now, DAY_MS)))['doctor'], true)
  await world.query('update doctor_runs set due_at = $1', [later(now, 40 * DAY_MS)])
  await world.query(
    `insert into doctor_findings (check_name, code, severity, found, since, text, fix, alert_id, alert_at, alert_due_at)
     values ('nodes', 'no_worker', 'failure', true, now(), '', '', $1, now(), $2)`,
    [newId(), later(now, DAY_MS)],
  )
  const silent = newId()
  await world.query(
    `insert into nodes (id, roles, settings, version, started_at, seen_at)
    values ($1, '{}', '{}', '', now(), now() - interval '2 s')`,
    [silent],
  )
  assert.equal((await find(now))['leases'], true)
  assert.deepEqual(await find(later(now, 2 * DAY_MS)), Object.fromEntries(WATCHED.map((name) => [name, true])))

  await world.query('delete from doctor_findings')
  await world.query('update workspaces set purged_at = now(), deleted_at = now() where id = $1', [world.workspaceId])
  const { doctor, purge } = await find(later(now, 2 * DAY_MS))
  assert.deepEqual({ doctor, purge }, { doctor: false, purge: false })
  await world.query('delete from doctor_runs')
  assert.equal((await find(now))['doctor'], true, 'the first worker writes the row')
  await world.query('delete from nodes where id = $1', [silent])
})

test('a loop that finds nothing due lets the look watch for its work', async (t) => {
  const world = await startWorld(t, { works: false })
  const { parts } = world
  await world.query('update provider_accounts set sync_due_at = $1', [later(parts.clock.now(), DAY_MS)])
  await world.query(
    `insert into doctor_runs (due_at, outside_due_at) values ('infinity', 'infinity') on conflict do nothing`,
  )
  const loops = backgroundLoops(parts).filter(({ name }) => WATCHED.includes(name))
  assert.deepEqual(loops.map(({ name }) => name).toSorted(), WATCHED.toSorted())
  const turns = await Promise.all(loops.map(async (loop) => [loop.name, (await loop.turn()).idle]))
  assert.deepEqual(Object.fromEntries(turns), Object.fromEntries(WATCHED.map((name) => [name, true])))
})

test('a search that begins at the last look finds rows that were due before and after it', async (t) => {
  const working = await startWorld(t)
  const receiver = await working.receiver()
  receiver.always({ status: 500 })
  await working.whatsapp.reports(await working.sendOtp(), ['sent'])
  await working.first.stop()
  const world = await startWorld(t, { works: false })
  const { parts } = world
  const now = parts.clock.now()
  const setDue = (table: string, { workspaceId }: Pick<typeof world, 'workspaceId'>, dueAt: Date) =>
    world.query(`update ${table} set due_at = $2, lease = null where workspace_id = $1 and due_at is not null`, [
      workspaceId,
      dueAt,
    ])
  await setDue('webhook_deliveries', working, later(now, -5 * MINUTE_MS))
  await world.sendOtp()
  await setDue('messages', world, later(now, -6 * MINUTE_MS))
  const { next } = await findDueLoops(parts, FROM_BEGINNING)
  assert.ok(next)

  const recent = await startWorld(t, { works: false })
  await recent.sendOtp()
  await setDue('messages', recent, later(now, -1))
  const { senders } = await parts.db.transaction((tx) => lockSenders(tx, { ...parts, searchStarts: next }, now))
  const firstDueOf = (senderId: string) =>
    senders.find(({ id }) => id === senderId)?.due.map(({ firstDueAt }) => +new Date(firstDueAt))
  assert.deepEqual(firstDueOf(world.senderId), [+now - 6 * MINUTE_MS])
  assert.deepEqual(firstDueOf(recent.senderId), [+now - 1])
  const findEndpoint = async (start: SearchStart) => {
    const { due } = await findDueEndpoints(parts.db, FIRST_CURSOR, now, start)
    return due.find(({ endpointId }) => endpointId === receiver.endpointId)?.dueAt
  }
  assert.deepEqual(await findEndpoint(next.deliveries), later(now, -5 * MINUTE_MS))
  assert.equal(await findEndpoint({ ...next.deliveries, older: [] }), undefined)
  await setDue('webhook_deliveries', working, later(now, -1))
  assert.deepEqual(await findEndpoint(next.deliveries), later(now, -1))
})

test('an idle instance looks for all due work in one statement', async (t) => {
  let looks = 0
  const world = await startWorld(t, {
    wrapDb: (db) =>
      spyOnDb(db, ({ statement: { name }, run }) => {
        if (name === 'find_due_work') looks += 1
        else if (POLLS.has(name)) looks = 0
        return run()
      }),
  })
  await world.settled()
  await waitFor('four looks without another poll', () => looks >= 4)
})

const POLLS: ReadonlySet<string> = new Set([
  'take_sandbox_work',
  'lock_senders_with_work',
  'find_overdue_messages',
  'take_provider_reports',
  'take_due_timers',
  'take_due_verifications',
  'find_due_endpoints',
  'release_deliveries',
  'find_dead_nodes',
  'claim_accounts_due_for_sync',
])

test('loops poll on their own while the look waits for a locked table', async (t) => {
  const world = await startWorld(t, { mayLogErrors: true, cod: {} })
  const order = await world.askToConfirm()
  const locking = await world.parts.db.connect()
  t.after(() => locking.end())
  await locking.query('begin')
  await locking.query('lock table otp_verifications')
  world.advance('72h')
  await waitFor('the deadline to pass', async () => (await world.getConfirmation(order)).status !== 'awaiting_answer')
  await locking.query('commit') // fails if the server has closed the session, and so released the lock
})
