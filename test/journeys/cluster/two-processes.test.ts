import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeReply } from '../../../src/cod/conversation/replies.ts'
import { reportsLoop } from '../../../src/messages/reports/process.ts'
import { type ServeProcess, startServe } from '../../programs/processes.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type SentOtp, type World, startWorld } from '../../world/world.ts'

const MESSAGES = 160
const MAX_ROUNDS = 5

const sendTo = (world: World, servers: readonly ServeProcess[], count: number): Promise<SentOtp[]> =>
  Promise.all(
    Array.from({ length: count }, (_, index) => world.sendOtp({}, { url: servers[index % servers.length]?.url ?? '' })),
  )

/** How many attempts this process made. */
async function attemptsOf(server: ServeProcess): Promise<number> {
  const text = await (await fetch(server.metricsUrl)).text()
  const lines = text.split('\n').filter((line) => line.startsWith('doorcode_message_attempts_total{'))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Every message is on its phone exactly once, was read, and was reported by exactly one webhook. */
async function assertOnce(world: World, otps: readonly SentOtp[], received: () => unknown[]): Promise<void> {
  await waitFor(
    () => `${otps.length} webhooks, of which ${received().length} came`,
    () => received().length >= otps.length,
  )
  await waitFor('all to be read', async () => {
    const open = await world.query(`select 1 from messages where workspace_id = $1 and status <> 'read' limit 1`, [
      world.workspaceId,
    ])
    return open.length === 0
  })
  assert.equal(new Set(received()).size, otps.length)
  assert.equal(received().length, otps.length)
  assert.equal(world.emulator.messages().length, otps.length)
  for (const otp of otps) assert.equal(world.whatsapp.got(otp).length, 1)
}

test('two processes share the work, and one may leave, without sending anything twice', async (t) => {
  const world = await startWorld(t, { works: false, statuses: 'automatic' })
  const receiver = await world.receiver()
  const start = () => startServe(world.databaseUrl, { DOORCODE_ROLES: 'api,worker' })
  const [leaving, staying] = await Promise.all([start(), start()])
  const servers = [leaving, staying]
  const sent = () => receiver.events('message.sent').map(({ data }) => data.messageId)
  world.setCallback(staying.url)
  const otps: SentOtp[] = []
  let attempts: number[] = []
  // Only one process claims for a sender at a time: on a busy machine the same one may win repeatedly.
  for (
    let round = 0;
    round < MAX_ROUNDS && !(attempts.length > 0 && attempts.every((count) => count > 0));
    round += 1
  ) {
    otps.push(...(await sendTo(world, servers, MESSAGES)))
    await assertOnce(world, otps, sent)
    attempts = await Promise.all(servers.map(attemptsOf))
  }
  assert.ok(
    attempts.every((count) => count > 0),
    `attempts per process: ${attempts.join(', ')}`,
  )
  assert.equal(
    attempts.reduce((sum, count) => sum + count, 0),
    otps.length,
  )
  await t.test('a server stopped during traffic loses nothing and does nothing twice', async () => {
    otps.push(...(await sendTo(world, servers, MESSAGES / 2)))
    leaving.kill('SIGTERM')
    otps.push(...(await sendTo(world, [staying], MESSAGES / 2)))
    assert.equal(await leaving.ended, 0, leaving.written())
    await assertOnce(world, otps, sent)
    staying.kill('SIGINT')
    assert.equal(await staying.ended, 0, staying.written())
  })
})

test('concurrent answers to two orders do not deadlock', async (t) => {
  const world = await startWorld(t, { works: false, cod: {} })
  const earlier = await world.createConfirmation()
  const later = await world.createConfirmation({ to: earlier.to })
  const now = Math.floor(world.clock.now().getTime() / 1000)
  for (const [index, { confirmationId, to }] of [later, earlier].entries()) {
    const payload = encodeReply({ to: 'confirmation', confirmationId, answer: 'cancel' })
    const raw = { type: 'button', button: { payload, text: 'Cancel' } }
    await world.emulator.inbound({
      from: to,
      to: world.account.senders[0]?.phoneNumberId,
      raw,
      timestamp: now - 10 + index,
    })
  }
  const otherNode = await world.parts.db.connect()
  t.after(() => otherNode.end())
  await otherNode.query('begin')
  await otherNode.query(LOCK_CONFIRMATION, [earlier.confirmationId])
  const turn = reportsLoop(world.parts).turn()
  await waitFor('the answers wait for the other node', async () => (await otherNode.query(WAITS_FOR_ME)).rowCount === 1)
  await otherNode.query(`${LOCK_CONFIRMATION} nowait`, [later.confirmationId])
  await otherNode.query('commit')
  await turn
  for (const order of [earlier, later]) assert.equal((await world.getConfirmation(order)).status, 'cancelled')
})

const LOCK_CONFIRMATION = 'select 1 from confirmations where id = $1 for no key update'
const WAITS_FOR_ME = 'select 1 from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))'
