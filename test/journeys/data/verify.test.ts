import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dailyFiguresLoop } from '../../../src/charts/daily.ts'
import { MAX_INTERNAL_INPUTS } from '../../../src/cod/conversation/store.ts'
import { newId } from '../../../src/lib/ids.ts'
import { advanceSandbox } from '../../../src/sandbox/advance.ts'
import type { Verification } from '../../../src/operations/verify/verify.ts'
import { runCommandIn } from '../../world/command-line.ts'
import { codAccount } from '../../world/cod.ts'
import { startWorld, toMilliseconds } from '../../world/world.ts'
import { startOrder } from '../../world/order.ts'
import { assertVerified, check } from '../../world/verified.ts'

test('a missing day between counted days is a difference', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  for (let day = 0; day < 6; day += 1) {
    await world.after('1d')
    const figures = dailyFiguresLoop(world.parts)
    while ((await figures.turn()).more);
  }
  await assertVerified(world)
  const [missing] = await world.query<{ day: string }>(
    `delete from daily_figures where workspace_id = $1 and day = (
       select day from daily_figures where workspace_id = $1 order by day desc offset 1 limit 1) returning day::text as day`,
    [workspaceId],
  )
  const { shown } = (await check(world)).differences
  assert.deepEqual(
    shown.map(({ code, parameters }) => [code, parameters]),
    [['daily_figures_missing', missing]],
  )
})

test('a sandbox whose clock was moved verifies to the second', async (t) => {
  const world = await startWorld(t, { sandbox: true, account: codAccount(), cod: {} })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const [silent, asked] = [await world.askToConfirm(), await world.askToConfirm()]
  const advance = (by: string) =>
    advanceSandbox(world.parts, { workspaceId: world.workspaceId, byMs: toMilliseconds(by) })
  await advance('3h')
  await world.customer(asked).taps('Change time')
  await advance('2d')
  await world.customer(silent).taps('Confirm')
  await world.whatsapp.reports(await world.sendOtp(), [{ status: 'failed', errors: [131026] }, 'read'])
  await advance('40d')
  await world.whatsapp.reports(otp, ['read'])
  await world.sendOtp()
  await assertVerified(world)

  await world.query(`update messages set sent_at = sent_at + interval '1 second' where id = $1`, [otp.messageId])
  await world.query(`update confirmations set answered_at = answered_at + interval '1 second' where id = $1`, [
    asked.confirmationId,
  ])
  assert.deepEqual((await check(world)).differences.byCode, { sent_at: 1, check_answered_at: 1 })
})

test('under load no difference is reported', async (t) => {
  const world = await startWorld(t, { account: codAccount(), statuses: 'automatic', cod: {} })
  await world.receiver()
  world.emulator.script({ steps: [{ when: { kind: 'template' }, do: [{ afterMs: 0, tap: { button: 0 } }] }] })
  let sending = true
  const load = Array.from({ length: 4 }, async () => {
    while (sending) {
      await world.createConfirmation()
      await world.sendOtp()
    }
  })
  for (let time = 0; time < 8; time += 1) await assertVerified(world)
  sending = false
  await Promise.all(load)
  await assertVerified(world)
})

test('the command lists each difference with its id and exits with 1, and exits with 0 without any', async (t) => {
  const world = await startWorld(t)
  const otp = await world.submitOtp()
  const run = (...more: string[]) => runCommandIn(world, ['verify', '--workspace', world.workspaceId, ...more])
  const clean = await run()
  assert.equal(clean.code, 0, clean.stderr)
  assert.match(clean.stdout, /Compared: messages: 1, monthly counters: 1\.\nDifferences: 0\.\n$/)

  await world.query(`update messages set status = 'read' where id = $1`, [otp.messageId])
  const json = await run('--json')
  assert.deepEqual([json.code, json.stderr], [1, ''])
  const { differences } = JSON.parse(json.stdout) as Verification
  assert.deepEqual([differences.total, differences.byCode], [1, { message_status: 1 }])
  assert.deepEqual(differences.shown[0], {
    workspaceId: world.workspaceId,
    id: otp.messageId,
    code: 'message_status',
    parameters: { stored: 'read', derived: 'sending' },
    text: 'The message’s status is read; its attempts and reports give sending.',
  })
  const earlier = await run('--since', '2100-01-01T00:00:00Z')
  assert.deepEqual([earlier.code, earlier.stdout], [0, 'Compared: nothing.\nDifferences: 0.\n'])
  const unknown = await runCommandIn(world, ['verify', '--workspace', newId()])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /No workspace has the id/)
})

test('a confirmation stores at most 200 internal inputs, and verify reports one that reached the limit as not verifiable', async (t) => {
  const { world, order } = await startOrder(t)
  const entry = {
    inputNumber: 1,
    clockOffsetMs: 0,
    check: 'confirmation',
    event: { type: 'reminder_due', at: new Date() },
  }
  const values = [order.confirmationId, JSON.stringify(Array.from({ length: MAX_INTERNAL_INPUTS - 1 }, () => entry))]
  await world.query('update confirmations set internal_inputs = $2 where id = $1', values)
  await world.after('121m') // the reminder
  await world.after('1d') // the deadline
  assert.equal((await world.getConfirmation(order)).status, 'no_response')
  const stored = await world.query<{ count: number }>(
    'select jsonb_array_length(internal_inputs) as count from confirmations where id = $1',
    [order.confirmationId],
  )
  assert.deepEqual(stored, [{ count: MAX_INTERNAL_INPUTS }])
  const { differences, notVerifiable } = await check(world)
  assert.deepEqual([differences.total, notVerifiable.confirmations], [0, 1])
})
