import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StepSeed } from '../../emulator/emulator.ts'
import { codAccount, confirmationPath } from '../cod.ts'
import { type CrashServer, startCrashServer } from '../crash-process.ts'
import type { Failpoint, Moment } from '../crash-server.ts'
import { freePort } from '../program.ts'
import { until } from '../until.ts'
import { type World, type WorldReceiver, startWorld } from '../world.ts'

/** From the customer's first reply on. */
const REPLY = 'find_places_of_messages'

/** Of each transaction of an order's way: something is written and the end is not reached, and the end is. */
const FAILPOINTS: readonly [moment: Moment, statement: string, stage: string | null][] = [
  ['before', 'insert_confirmations_within_quota', null],
  ['after', 'insert_confirmations_within_quota', null],
  ['committed', 'claim_messages', null],
  ['before', 'finish_attempts', null],
  ['after', 'finish_attempts', null],
  ['after', 'know_customers', null],
  ['after', 'write_confirmations', null],
  ['committed', 'know_customers', null],
  ['after', 'store_provider_reports', 'know_customers'],
  ['before', REPLY, null],
  ['after', 'write_confirmations', REPLY],
  ['after', 'insert_cod_answers', REPLY],
  ['after', 'insert_conversation_messages', REPLY],
  ['committed', 'insert_conversation_messages', REPLY],
  ['committed', 'claim_messages', 'insert_conversation_messages'],
  ['after', 'finish_attempts', 'insert_conversation_messages'],
  ['after', 'record_events', REPLY],
  ['after', 'end_provider_reports', 'record_events'],
  ['committed', 'record_events', REPLY],
]

/** Longer than every lease, and than the wait for a report that tells an unknown outcome. */
const BEYOND_LEASES_MS = 90_000

type Scene = { world: World; receiver: WorldReceiver; server: CrashServer; restart(): Promise<void> }

/** Every message is answered for itself, the second copy of one like the first: another time, a day, a time range. */
const ANSWERS: readonly StepSeed[] = [
  { when: { kind: 'template' }, do: [{ afterMs: 0, tap: { button: 2 } }] },
  { when: { kind: 'buttons', replyButtons: 3 }, do: [{ afterMs: 0, tap: { button: 0 } }] },
  { when: { kind: 'buttons', replyButtons: 2 }, do: [{ afterMs: 0, tap: { button: 1 } }] },
]

async function setScene(t: TestContext): Promise<Scene> {
  const world = await startWorld(t, { works: false, statuses: 'automatic', account: codAccount() })
  const receiver = await world.receiver()
  await world.codSettings()
  world.twin.customer({}, ANSWERS)
  const port = await freePort() // the same over restarts, as that of a service is
  world.setCallback(`http://127.0.0.1:${port}`)
  let movedByMs = 0
  const start = () => startCrashServer({ databaseUrl: world.databaseUrl, port, movedByMs })
  const scene: Scene = {
    world,
    receiver,
    server: await start(),
    async restart() {
      await scene.server.kill()
      movedByMs += BEYOND_LEASES_MS
      scene.server = await start()
    },
  }
  return scene
}

/** A caller who repeats a request whose answer was lost, with the same key. */
async function createUntilAccepted({ world, server }: Scene, idempotencyKey: string) {
  const body = world.confirmationBody({ reference: idempotencyKey })
  const asked = { body, headers: { 'idempotency-key': idempotencyKey }, url: server.url, key: await world.freshKey() }
  return until('the request to be accepted', async () => {
    const answer = await world.request('POST', confirmationPath, asked).catch(() => undefined)
    if (answer?.status !== 202) return undefined
    return { confirmationId: String(answer.body.confirmationId), to: body.to }
  })
}

const openWork = ({ world }: Scene) =>
  world.ask(
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
  const [attempt] = await world.ask('select 1 from messages where workspace_id = $1 and attempted_at is not null', [
    world.workspaceId,
  ])
  await scene.restart()
  const order = await creating
  // Together: who was asked twice begins anew after the first answer is told.
  await until('the rescheduled order, and all work to be done', async () => {
    await world.twin.idle()
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
  const told = receiver.received.filter(({ event }) => event.data.confirmationId === order.confirmationId)
  assert.ok(told.every(({ event }) => event.type === 'cod.reschedule_requested'))
  // Who is asked twice answers twice.
  assert.ok(new Set(told.map(({ id }) => id)).size <= templates)
  const closings = await world.ask(`select 1 from messages where confirmation_id = $1 and purpose = 'closing'`, [
    order.confirmationId,
  ])
  assert.equal(closings.length, 1)
}

test('a server that is killed anywhere on the way of an order loses no reply and tells no outcome twice', {
  timeout: 120_000,
}, async (t) => {
  const scene = await setScene(t)
  for (const [moment, statement, stage] of FAILPOINTS) {
    const when = stage === null ? '' : ` since ${stage}`
    await t.test(`${moment} ${statement}${when}`, () => survives(scene, { statement, moment, stage }))
  }
  await scene.server.kill()
})
