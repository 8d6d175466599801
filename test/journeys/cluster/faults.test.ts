import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseUnavailable } from '../../../src/lib/db/connection.ts'
import { apiErrors } from '../../../src/lib/errors.ts'
import { createOtpAcceptor } from '../../../src/otp/accept.ts'
import { failingDb, spyOnDb } from '../../database/db-spy.ts'
import { MISSING } from '../../world/rejections.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

for (const { fault, sqlState, others } of [
  { fault: 'of the batch', sqlState: '40P01', others: ['fulfilled', 'fulfilled'] },
  { fault: 'of a row that is too large', sqlState: '54000', others: ['fulfilled', 'fulfilled'] },
  { fault: 'of the database', sqlState: '53300', others: ['rejected', 'rejected'] },
]) {
  test(`a fault ${fault} between rounds of a group neither repeats nor undoes acceptances`, async (t) => {
    let lookUps = Number.POSITIVE_INFINITY
    const world = await startWorld(t, {
      works: false,
      wrapDb: failingDb(
        (name) =>
          name === 'look_up_otp_requests' &&
          ++lookUps === 2 &&
          Object.assign(new Error('between two rounds'), { code: sqlState }),
      ),
    })
    await world.sendOtp() // opens the month's counter
    const accept = createOtpAcceptor(world.parts)
    const request = (idempotencyKey: string | null, recipient: string) =>
      accept({
        workspaceId: world.workspaceId,
        apiKeyId: 'aaaaaaaaaaaa',
        correlationId: crypto.randomUUID(),
        idempotencyKey,
        recipient,
        senderId: world.senderId,
        template: { name: 'login_code', language: 'en_US' },
        code: '493817',
        reference: null,
      })
    lookUps = 0
    const phone = newPhone()
    // Requests with one key take two rounds: the second one finds the result of the first.
    const outcomes = await Promise.allSettled([
      request(null, phone),
      request('k', phone),
      request('k', phone),
      request('k', phone),
    ])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', ...others],
    )
    const rows = await world.query('select 1 from messages where workspace_id = $1 and recipient = $2', [
      world.workspaceId,
      phone,
    ])
    assert.equal(rows.length, 2)
  })
}

const unreachable = (): Error => new DatabaseUnavailable(new Error('connect ECONNREFUSED'))

/** Whether the column is true or present in any of the rows. */
const isAny = (rows: readonly unknown[], column: string): boolean =>
  rows.some((row) => Reflect.get(row as object, column))

const storesAttempt = (world: World, { messageId }: { messageId: string }) =>
  waitFor('the outcome of the attempt to be stored', async () => {
    const rows = await world.query('select 1 from message_attempts where message_id = $1', [messageId])
    return rows.length === 1
  })

test('an answer of the provider survives a database that is down when it comes', async (t) => {
  let faults = 0
  const world = await startWorld(t, {
    wrapDb: failingDb((name) => name === 'finish_attempts' && ++faults <= 2 && unreachable()),
  })
  const otp = await world.sendOtp()
  await world.whatsapp.gets(otp)
  await storesAttempt(world, otp)
  await world.after('1m')
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a code that was sent before a long outage of the database is not sent again', async (t) => {
  let isDown = true
  const world = await startWorld(t, {
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        if (statement.name === 'finish_attempts' && isDown) throw unreachable()
        const rows = await run()
        // Claims come back before outcomes.
        if (statement.name === 'lock_due_messages' && isAny(rows, 'endedLease')) isDown = false
        return rows
      }),
  })
  const otp = await world.sendOtp()
  await world.whatsapp.gets(otp)
  world.advance('40s') // its lease ends during the outage
  await storesAttempt(world, otp)
  await world.after('1m')
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a code that was sent just before an outage as long as its lease is not sent again', async (t) => {
  let isDown = false
  let failedClaims = 0
  let outcomesMayBeStored = false
  const world = await startWorld(t, {
    mayLogErrors: true,
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        if (statement.name === 'finish_attempts' && !outcomesMayBeStored) throw unreachable()
        if (statement.name === 'lock_senders_with_work' && isDown) {
          failedClaims += 1
          throw unreachable()
        }
        const rows = await run()
        // Claims come back before outcomes.
        if (statement.name === 'lock_due_messages' && isAny(rows, 'endedLease')) outcomesMayBeStored = true
        return rows
      }),
  })
  const otp = await world.sendOtp()
  await world.whatsapp.gets(otp)
  isDown = true
  world.advance('25s') // its lease ends
  await waitFor('a claim to fail', () => failedClaims > 0)
  isDown = false
  await storesAttempt(world, otp)
  await world.after('1m')
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('a code whose answer was lost is not sent again at once after an outage', async (t) => {
  let hasWaited = false
  const world = await startWorld(t, {
    wrapDb: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        const rows = await run()
        if (statement.name === 'lock_due_messages' && isAny(rows, 'missedReports')) hasWaited = true
        return rows
      }),
  })
  const to = newPhone()
  world.emulator.script({ match: { to, times: 1 }, behaviour: { connection: 'drop_after_accepting' } })
  const otp = await world.sendOtp({ to })
  await storesAttempt(world, otp)
  world.advance('15s') // without a claim, as in an outage
  await waitFor('a claim', () => hasWaited)
  await world.whatsapp.reports(otp, ['sent'])
  await world.after('1m')
  assert.equal(world.whatsapp.got(otp).length, 1)
})

test('the type of each problem links to a page with its cause and fix', async (t) => {
  const world = await startWorld(t)
  for (const [code, { title, fix }] of Object.entries(apiErrors)) {
    const answer = await fetch(`${world.first.url}/problems/${code}`)
    assert.equal(answer.status, 200, code)
    const page = unescaped(await answer.text())
    for (const words of [code, title, fix.split('"')[0]?.slice(0, 40)])
      assert.ok(page.includes(words ?? ''), `${code}: ${words}`)
  }
  assert.equal((await fetch(`${world.first.url}/problems/NO_SUCH_CODE`)).status, 404)
  const { body } = await world.request('GET', MISSING)
  assert.equal(new URL(String(body.type)).pathname, '/problems/NOT_FOUND')
})

const unescaped = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

test('a stopped program leaves nothing that keeps its process alive', async (t) => {
  const world = await startWorld(t)
  await world.submitOtp()
  const before = process
    .getActiveResourcesInfo()
    .filter((each) => each === 'Timeout' || each === 'TCPServerWrap').length
  const node = await world.node()
  await world.settled()
  await node.stop()
  world.nodes.pop()
  await waitFor('timers and servers to end', () => {
    const left = process.getActiveResourcesInfo().filter((each) => each === 'Timeout' || each === 'TCPServerWrap')
    return left.length <= before + 2 // the loops of the first node sleep on timers that come and go
  })
})
