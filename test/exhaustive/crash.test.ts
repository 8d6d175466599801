import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { NEVER, OPEN_ATTEMPT, type RestartableServer, startRestartableServer } from '../faults/crash-process.ts'
import type { Failpoint } from '../faults/crash-server.ts'
import { assertVerified } from '../world/verified.ts'
import { waitFor } from '../world/wait-for.ts'
import { type SentOtp, type World, type WorldReceiver, startWorld } from '../world/world.ts'

/** Each statement begins a stage: submission, the provider's reports, delivery of the event. */
const STAGES = ['insert_and_claim_otp_messages_within_quota', 'store_provider_reports', 'record_events'] as const

/** Statements that a server runs periodically without any message, once for a cache, or only for its first webhook. */
const UNRELATED_WRITES =
  /^(remove_|list_workspaces_to_count|take_due_daily_figures|claim_accounts_due_for_sync|claim_deliveries|account_by_id|release_deliveries|take_leases|take_sandbox_work|delete_workspaces_due|lock_workspace_to_purge|\w+_removal_guard)/

type Write = { name: string; transaction: number | null; stage: string | null }

type Scene = RestartableServer & { world: World; receiver: WorldReceiver }

async function setScene(t: TestContext, options: { claimsOnWrite: boolean }): Promise<Scene> {
  const world = await startWorld(t, { works: false, statuses: 'automatic' })
  const receiver = await world.receiver()
  return Object.assign(await startRestartableServer(world, options), { world, receiver })
}

/** A client that repeats a request whose response was lost, with the same key. */
async function sendUntilAccepted({ world, server }: Scene): Promise<SentOtp> {
  const body = world.otpBody()
  const key = await world.freshKey() // known to no server yet
  const request = { body, headers: { 'idempotency-key': body.code }, url: server.url, key }
  return waitFor('the request to be accepted', async () => {
    const answer = await world.request('POST', '/api/v1/otp/messages', request).catch(() => undefined)
    if (answer?.status !== 202) return undefined
    return { ...(answer.body as Omit<SentOtp, 'to' | 'code'>), to: body.to, code: body.code }
  })
}

const webhooksOf = ({ receiver }: Scene, otp: SentOtp) =>
  receiver.received.filter(({ event }) => event.data.messageId === otp.messageId)

async function arrives(scene: Scene, otp: SentOtp): Promise<void> {
  const { world } = scene
  await waitFor('the status "read"', async () => (await world.getOtp(otp)).status === 'read')
  await waitFor('the webhook', () => webhooksOf(scene, otp).length > 0)
  await waitFor('the delivery to be over', async () => {
    const open = await world.query('select 1 from webhook_deliveries where workspace_id = $1 and due_at is not null', [
      world.workspaceId,
    ])
    return open.length === 0
  })
}

/** Makes each run open a month, too. */
const forgetQuota = ({ world }: Scene) =>
  world.query('delete from quota_usage where workspace_id = $1', [world.workspaceId])

/** The first run of each writing statement in the life of one message, with its stage. */
async function recordWrites(scene: Scene): Promise<Write[]> {
  await forgetQuota(scene)
  await arrives(scene, await sendUntilAccepted(scene))
  await scene.server.arm(NEVER) // it answers after everything that it has reported
  const recorded = new Map<string, Write>()
  let stage: string | null = null
  for (const { ran: name, transaction, writes } of scene.server.ran) {
    if (writes && !recorded.has(name) && !UNRELATED_WRITES.test(name)) recorded.set(name, { name, transaction, stage })
    stage = STAGES.find((each) => each === name) ?? stage
  }
  return [...recorded.values()]
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

/** Some statements do not run for every message, so it may take several. */
const MAX_MESSAGES = 10

async function sendUntilDead(scene: Scene): Promise<Promise<SentOtp>[]> {
  const requests: Promise<SentOtp>[] = []
  let dead = false
  void scene.server.dead.then(() => (dead = true))
  while (!dead) {
    assert.ok(requests.length < MAX_MESSAGES, 'the server never came to the statement')
    let otp: SentOtp | undefined
    const request = sendUntilAccepted(scene)
    requests.push(request)
    void request.then((accepted) => (otp = accepted))
    await waitFor('the server to die or the webhook to come', () => dead || (otp && webhooksOf(scene, otp).length > 0))
  }
  return requests
}

/** A message that the provider may have is resent at most once (docs/otp.md#submission-and-expiry). */
async function hasOpenAttempt({ world }: Scene): Promise<boolean> {
  const open = await world.query(OPEN_ATTEMPT, [world.workspaceId])
  return open.length > 0
}

/** After these commits the program answers a client or the provider, or calls the provider or an endpoint. */
const SEEN_OUTSIDE = ['insert_and_claim_otp_messages_within_quota', 'store_provider_reports', 'finish_deliveries']

/**
 * A crash undoes an open transaction, and reads leave nothing: for the database all moments between two commits are the
 * same. So there is one crash point before each commit, with all but the last write done, and one after it if the world
 * sees something before the next commit.
 */
function failpointsOf(writes: readonly Write[]): Failpoint[] {
  const last = writes.filter(
    ({ transaction }, index) =>
      transaction === null || writes.findLastIndex((each) => each.transaction === transaction) === index,
  )
  return last.flatMap(({ name, transaction, stage }) => {
    const before: Failpoint = { statement: name, moment: 'before', stage }
    const after: Failpoint = { statement: name, moment: transaction === null ? 'after' : 'committed', stage }
    return SEEN_OUTSIDE.includes(name) ? [before, after] : [before]
  })
}

/** Each failpoint is a test of its own; at the end everything that is stored agrees. */
async function survivesAll(t: TestContext, scene: Scene, failpoints: readonly Failpoint[]): Promise<void> {
  for (const failpoint of failpoints)
    await t.test(`${failpoint.moment} ${failpoint.statement}`, () => survives(scene, failpoint))
  await scene.server.kill()
  await assertVerified(scene.world, ({ code }) => code === 'units') // the test forgets them
}

test('a server killed before or after any commit loses nothing', { timeout: 900_000 }, async (t) => {
  const scene = await setScene(t, { claimsOnWrite: true })
  const writes = await recordWrites(scene)
  const names = writes.map(({ name }) => name)
  for (const name of [...STAGES, ...SEEN_OUTSIDE])
    assert.ok(names.includes(name), `${name} is among the writes: ${names.join(' ')}`)
  await survivesAll(t, scene, failpointsOf(writes))
})

test('a server killed before or after the attempt of a webhook that it claimed with its event loses nothing', {
  timeout: 300_000,
}, async (t) => {
  const scene = await setScene(t, { claimsOnWrite: true })
  const stage = 'finish_deliveries' // the endpoint has just succeeded
  await survivesAll(t, scene, [
    { statement: 'record_events', moment: 'committed', stage },
    { statement: 'finish_deliveries', moment: 'before', stage },
  ])
})

test('a server killed while its loops claim a code and a webhook loses nothing', { timeout: 300_000 }, async (t) => {
  const scene = await setScene(t, { claimsOnWrite: false })
  const stage = 'insert_otp_messages_within_quota'
  await survivesAll(t, scene, [
    { statement: 'claim_messages', moment: 'before', stage },
    { statement: 'claim_messages', moment: 'committed', stage },
    { statement: 'begin_lease', moment: 'after', stage },
    { statement: 'claim_deliveries', moment: 'before', stage },
    { statement: 'claim_deliveries', moment: 'after', stage },
  ])
})
