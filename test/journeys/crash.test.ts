import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type CrashServer, NOWHERE, startCrashServer } from '../crash-process.ts'
import type { Failpoint, Moment } from '../crash-server.ts'
import { freePort } from '../program.ts'
import { until } from '../until.ts'
import { type SentOtp, type World, type WorldReceiver, startWorld } from '../world.ts'

/** Each begins a stretch of the way: submission, the provider's reports, delivery of the event. */
const STAGES = ['insert_otp_messages_within_quota', 'store_provider_reports', 'record_events'] as const

/** What a server does from time to time, whether or not a message is on its way, or reads once and remembers. */
const BESIDE_THE_WAY = /^(remove_|list_workspaces_to_count|take_accounts_due_for_sync|account_by_id)/

/** Longer than every lease, and than the wait for a report that tells an unknown outcome. */
const BEYOND_LEASES_MS = 90_000

type Step = { name: string; inTransaction: boolean; stage: string | null }

type Scene = { world: World; receiver: WorldReceiver; server: CrashServer; restart(): Promise<void> }

async function setScene(t: TestContext): Promise<Scene> {
  const world = await startWorld(t, { works: false, statuses: 'automatic' })
  const receiver = await world.receiver()
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
async function sendUntilAccepted({ world, server }: Scene): Promise<SentOtp> {
  const body = world.otpBody()
  const key = await world.freshKey() // known to no server yet
  const asked = { body, headers: { 'idempotency-key': body.code }, url: server.url, key }
  return until('the request to be accepted', async () => {
    const answer = await world.request('POST', '/api/v1/otp/messages', asked).catch(() => undefined)
    if (answer?.status !== 202) return undefined
    return { ...(answer.body as Omit<SentOtp, 'to' | 'code'>), to: body.to, code: body.code }
  })
}

const webhooksOf = ({ receiver }: Scene, otp: SentOtp) =>
  receiver.received.filter(({ event }) => event.data.messageId === otp.messageId)

async function arrives(scene: Scene, otp: SentOtp): Promise<void> {
  const { world } = scene
  await until('the status "read"', async () => (await world.getOtp(otp)).status === 'read')
  await until('the webhook', () => webhooksOf(scene, otp).length > 0)
  await until('the delivery to be over', async () => {
    const open = await world.ask('select 1 from webhook_deliveries where workspace_id = $1 and due_at is not null', [
      world.workspaceId,
    ])
    return open.length === 0
  })
}

/** So that each way begins a month, too. */
const forgetQuota = ({ world }: Scene) =>
  world.ask('delete from quota_usage where workspace_id = $1', [world.workspaceId])

/** The statements of one whole way, each with the stage that it belongs to. */
async function recordWay(scene: Scene): Promise<Step[]> {
  await forgetQuota(scene)
  await arrives(scene, await sendUntilAccepted(scene))
  await scene.server.arm(NOWHERE) // it answers after all that it has told
  const way = new Map<string, Step>()
  let stage: string | null = null
  for (const { name, inTransaction } of scene.server.ran) {
    if (!way.has(name) && !BESIDE_THE_WAY.test(name)) way.set(name, { name, inTransaction, stage })
    stage = STAGES.find((each) => each === name) ?? stage
  }
  return [...way.values()]
}

async function survives(scene: Scene, failpoint: Failpoint): Promise<void> {
  const { world } = scene
  await forgetQuota(scene)
  await scene.server.arm(failpoint)
  const requests = await sendUntilDead(scene)
  const attemptWasOpen = await hasOpenAttempt(scene)
  await scene.restart()
  for (const otp of await Promise.all(requests)) {
    await arrives(scene, otp)
    const copies = world.whatsapp.got(otp).length
    assert.ok(copies === 1 || (copies === 2 && attemptWasOpen), `${copies} copies on the phone`)
    const events = new Set(webhooksOf(scene, otp).map(({ id }) => id))
    assert.equal(events.size, 1, 'one event, however often it was delivered')
  }
}

/** What a server remembers, it need not read again: only a later message may come to the statement. */
const MESSAGES_MOST = 10

async function sendUntilDead(scene: Scene): Promise<Promise<SentOtp>[]> {
  const requests: Promise<SentOtp>[] = []
  let dead = false
  void scene.server.dead.then(() => (dead = true))
  while (!dead) {
    assert.ok(requests.length < MESSAGES_MOST, 'the server never came to the statement')
    let otp: SentOtp | undefined
    const request = sendUntilAccepted(scene)
    requests.push(request)
    void request.then((accepted) => (otp = accepted))
    await until('the server to die or the webhook to come', () => dead || (otp && webhooksOf(scene, otp).length > 0))
  }
  return requests
}

/** The provider may have the message while nobody has written it down: then it may be sent once more (contract §7). */
async function hasOpenAttempt({ world }: Scene): Promise<boolean> {
  const open = await world.ask('select 1 from messages where workspace_id = $1 and attempted_at is not null', [
    world.workspaceId,
  ])
  return open.length > 0
}

test('a server that is killed before or after any statement of the way loses nothing', {
  timeout: 180_000,
}, async (t) => {
  const scene = await setScene(t)
  const way = await recordWay(scene)
  const names = way.map(({ name }) => name)
  for (const name of STAGES) assert.ok(names.includes(name), `${name} is on the way: ${names.join(' ')}`)
  for (const { name, inTransaction, stage } of way) {
    const moments: Moment[] = inTransaction ? ['before', 'after', 'committed'] : ['before', 'after']
    for (const moment of moments) {
      await t.test(`${moment} ${name}`, () => survives(scene, { statement: name, moment, stage }))
    }
  }
  await scene.server.kill()
})
