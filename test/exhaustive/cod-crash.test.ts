import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StepSeed } from '@doorcode/whatsapp-emulator'
import { codAccount, confirmationPath } from '../world/cod.ts'
import { OPEN_ATTEMPT, type RestartableServer, startRestartableServer } from '../faults/crash-process.ts'
import type { Failpoint, Moment } from '../faults/crash-server.ts'
import { assertVerified } from '../world/verified.ts'
import { waitFor } from '../world/wait-for.ts'
import { type World, type WorldReceiver, startWorld } from '../world/world.ts'

/** The first statement that processes a customer's reply. */
const REPLY = 'match_messages'

/**
 * For each transaction that OTP messages (crash.test.ts) do not have: its last write is undone, or it is committed.
 */
const FAILPOINTS: readonly [moment: Moment, statement: string, stage: string | null][] = [
  ['before', 'insert_confirmations_within_quota', null],
  ['after', 'insert_confirmations_within_quota', null],
  ['after', 'write_confirmations', null],
  ['committed', 'store_customer_user_ids', null],
  ['after', 'insert_conversation_messages', REPLY],
  ['committed', 'insert_conversation_messages', REPLY],
  ['after', 'end_provider_reports', 'record_events'],
  ['committed', 'record_events', REPLY],
]

type Scene = RestartableServer & { world: World; receiver: WorldReceiver }

/** Every copy of a message is answered: change time, a day, a time range. */
const ANSWERS: StepSeed[] = [
  { when: { kind: 'template' }, do: [{ afterMs: 0, tap: { button: 2 } }] },
  { when: { kind: 'buttons', replyButtons: 3 }, do: [{ afterMs: 0, tap: { button: 0 } }] },
  { when: { kind: 'buttons', replyButtons: 2 }, do: [{ afterMs: 0, tap: { button: 1 } }] },
]

async function setScene(t: TestContext): Promise<Scene> {
  const world = await startWorld(t, { works: false, statuses: 'automatic', account: codAccount(), cod: {} })
  const receiver = await world.receiver()
  world.emulator.script({ steps: ANSWERS })
  return Object.assign(await startRestartableServer(world), { world, receiver })
}

/** Repeats a request whose response was lost, with the same key. */
async function createUntilAccepted({ world, server }: Scene, idempotencyKey: string) {
  const body = world.confirmationBody({ reference: idempotencyKey })
  const request = { body, headers: { 'idempotency-key': idempotencyKey }, url: server.url, key: await world.freshKey() }
  return waitFor('the request to be accepted', async () => {
    const answer = await world.request('POST', confirmationPath, request).catch(() => undefined)
    if (answer?.status !== 202) return undefined
    return { confirmationId: String(answer.body.confirmationId), to: body.to }
  })
}

const openWork = ({ world }: Scene) =>
  world.query(
    `select 1 from messages where workspace_id = $1 and due_at is not null
     union all select 1 from webhook_deliveries where workspace_id = $1 and due_at is not null
     union all select 1 from provider_reports where workspace_id = $1 and outcome = 'waiting'`,
    [world.workspaceId],
  )

async function survives(scene: Scene, failpoint: Failpoint): Promise<void> {
  const { world, receiver } = scene
  await scene.server.arm(failpoint)
  const creating = createUntilAccepted(scene, `${failpoint.moment} ${failpoint.statement} ${failpoint.stage}`)
  await scene.server.dead
  const [attempt] = await world.query(OPEN_ATTEMPT, [world.workspaceId])
  await scene.restart()
  const order = await creating
  // Together: a customer who was asked twice starts again after the first answer.
  await waitFor('the rescheduled order, and all work to be done', async () => {
    await world.emulator.idle()
    const idle = (await openWork(scene)).length === 0
    return idle && (await world.getConfirmation(order)).status === 'rescheduled'
  })

  const { reschedule } = await world.getConfirmation(order)
  assert.ok(reschedule?.date && reschedule.timeRange)
  const templates = world
    .customer(order)
    .screen()
    .filter(({ type }) => type === 'template').length
  assert.ok(templates === 1 || (templates === 2 && attempt), `${templates} templates on the phone`)
  const events = receiver.received.filter(({ event }) => event.data.confirmationId === order.confirmationId)
  assert.ok(events.every(({ event }) => event.type === 'cod.reschedule_requested'))
  // A customer who is asked twice answers twice.
  assert.ok(new Set(events.map(({ id }) => id)).size <= templates)
  const closings = await world.query(`select 1 from messages where confirmation_id = $1 and purpose = 'closing'`, [
    order.confirmationId,
  ])
  assert.equal(closings.length, 1)
}

test('a killed server loses no reply and reports no outcome twice', {
  timeout: 900_000,
}, async (t) => {
  const scene = await setScene(t)
  for (const [moment, statement, stage] of FAILPOINTS) {
    const when = stage === null ? '' : ` since ${stage}`
    await t.test(`${moment} ${statement}${when}`, () => survives(scene, { statement, moment, stage }))
  }
  await scene.server.kill()
  await assertVerified(scene.world)
})
