import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '../../src/ids.ts'
import { LOG_PAGE } from '../../src/webhooks/log.ts'
import { pauseEndpoint, resumeEndpoint } from '../../src/webhooks/endpoints.ts'
import { recordEvents } from '../../src/events/record.ts'
import { closeBrowser, openPage } from '../browser.ts'
import { type SignedIn, signedIn } from '../dashboard.ts'
import { assertSigned } from '../receiver.ts'
import { type World, type WorldReceiver, startWorld } from '../world.ts'

after(closeBrowser)

test('an endpoint that failed for good is disabled, shown with its reason, and one click delivers everything that was missed', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  const looked = Promise.withResolvers<void>()
  receiver.answers({ status: 500, body: 'out of order' }, { status: 410, body: 'moved away', after: looked.promise })
  await record(world, 1)
  await receiver.waitFor(1)
  await page.goto(`/dashboard/w/${world.workspaceId}/endpoints`)
  await page.getByRole('link', { name: receiver.url }).click()
  await page.getByText('This endpoint fails').waitFor()
  await page.getByText('HTTP 500').first().waitFor()
  world.advance('6s')
  looked.resolve()
  await world.settled()
  await page.getByText('This endpoint is disabled').waitFor() // the page follows by itself
  await page.getByText(/It answered 410/).waitFor()
  await page.getByText('moved away').waitFor()
  const otps = [await world.sendOtp(), await world.sendOtp()]
  for (const otp of otps) await world.whatsapp.reports(otp, ['sent'])
  await page.getByRole('button', { name: 'Enable and send 3 events' }).click()
  await page.getByText('3 events put on their way').waitFor()
  await world.settled()
  const told = receiver.events('message.sent').map(({ data }) => data['messageId'])
  assert.ok(otps.every(({ messageId }) => told.includes(messageId)))
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 3)
  await page.getByText('This endpoint is disabled').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Send a test' }).waitFor()
})

test('a test that is sent from the page shows what was sent and what came back', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  receiver.answers({ status: 202, body: 'thanks' })
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  await page.goto(`/dashboard/w/${world.workspaceId}/endpoints/${receiver.endpointId}`)
  await page.getByRole('button', { name: 'Send a test' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/The endpoint took it: 202/).waitFor()
  await dialog.getByText('thanks').waitFor()
  assert.ok((await dialog.textContent())?.includes(receiver.received[0]?.id ?? 'nothing'))
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'ping' }).click()
  await page.getByRole('dialog', { name: 'Delivery' }).getByText('Attempt 1').waitFor()
  assert.match(page.url(), /delivery=/)
  await page.keyboard.press('Escape')
  await page.waitForURL((url) => !url.search.includes('delivery='))
  await page.waitForFunction(`document.activeElement?.textContent === 'ping'`)
})

test('what was chosen is counted first, and that many are sent again, with how far it is', async (t) => {
  const world = await startWorld(t)
  const receiver = await world.receiver()
  await record(world, 3)
  await record(world, 2, 'message.failed')
  await world.settled()
  const page = await openPage(t, world, { as: await signedIn(world, 'admin'), width: 360 })
  await page.goto(`/dashboard/w/${world.workspaceId}/endpoints/${receiver.endpointId}?status=succeeded`)
  await page.getByRole('button', { name: 'Send many again' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type of event').selectOption('message.sent')
  await dialog.getByRole('button', { name: 'Count', exact: true }).click()
  const asked = Promise.withResolvers<void>()
  await page.route('**/endpoints.resendChosen?batch=1', async (route) => {
    await asked.promise
    return route.continue()
  })
  await dialog.getByRole('button', { name: 'Send 3 events again' }).click()
  const bar = dialog.getByRole('progressbar', { name: 'Sending again' })
  assert.equal(await bar.getAttribute('aria-valuetext'), '0 of 3 put on their way')
  assert.equal(await dialog.getByRole('status').textContent(), 'Sending again 0%')
  asked.resolve()
  await dialog.getByText('3 events put on their way').waitFor()
  await world.settled()
  assert.equal(receiver.events('message.sent').length, 6)
  assert.equal(receiver.events('message.failed').length, 2)
})

test('an endpoint that was added gets events signed with the secret that was shown, which no later answer has', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { calls } = await signedIn(world, 'admin')
  const { endpointId, secret } = await calls.endpoints.add.mutate({ workspaceId, url: `${receiver.url}/second` })
  const { deliveryId } = await calls.endpoints.ping.mutate({ workspaceId, endpointId })
  await world.settled()
  const ping = receiver.received.find(({ path }) => path.endsWith('/second'))
  assert.ok(ping)
  assertSigned(ping, secret)
  const answers = [
    await calls.endpoints.list.query({ workspaceId }),
    await calls.endpoints.find.query({ workspaceId, endpointId }),
    await calls.endpoints.delivery.query({ workspaceId, endpointId, deliveryId }),
    await world.ask('select * from audit_log where workspace_id = $1', [workspaceId]),
  ]
  assert.ok(!JSON.stringify(answers).includes(secret.slice('whsec_'.length)))
})

test('an address that must not be is refused with a sentence for its field', async (t) => {
  const world = await startWorld(t)
  Object.assign(world.parts.config, { allowPrivateWebhooks: false })
  const { calls } = await signedIn(world, 'admin')
  const faults: [string, RegExp][] = [
    ['http://example.com/', /must start with https/],
    ['https://127.0.0.1/', /must lead to the public Internet/],
    ['https://[::ffff:10.0.0.1]/', /must lead to the public Internet/],
    ['https://a:b@example.com/', /must not hold a user name/],
    ['  ', /Something in the form/],
  ]
  for (const [url, sentence] of faults)
    await assert.rejects(calls.endpoints.add.mutate({ workspaceId: world.workspaceId, url }), sentence, url)
  assert.deepEqual((await calls.endpoints.list.query({ workspaceId: world.workspaceId })).endpoints, [])
})

test('after the secret was replaced both sign, and the answer says until when', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  const { calls } = await signedIn(world, 'admin')
  const rotated = await calls.endpoints.rotate.mutate({ workspaceId, endpointId })
  await calls.endpoints.ping.mutate({ workspaceId, endpointId })
  await world.settled()
  const [ping] = receiver.received
  assert.ok(ping)
  assertSigned(ping, receiver.secret)
  assertSigned(ping, rotated.secret)
  const found = await calls.endpoints.find.query({ workspaceId, endpointId })
  assert.equal(found.previousSecretUntil, rotated.previousSecretUntil)
})

test('a delivery shows every attempt as it was sent, what came back, and when the next is due', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  receiver.answers({ status: 500, body: 'out of paper' })
  const { calls } = await signedIn(world, 'member')
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  await world.settled()
  const { deliveries } = await calls.endpoints.deliveries.query({ workspaceId, endpointId, about: otp.messageId })
  assert.equal(deliveries.length, 1)
  const { deliveryId } = deliveries[0]!
  const ask = () => calls.endpoints.delivery.query({ workspaceId, endpointId, deliveryId })
  const waiting = await ask()
  assert.equal(waiting.status, 'pending')
  assert.deepEqual(waiting.nextAttempt, { number: 2, of: 10 })
  assert.ok(waiting.dueAt)
  assert.deepEqual([waiting.tries[0]?.httpStatus, waiting.tries[0]?.response], [500, 'out of paper'])
  world.advance('6s')
  await world.settled()
  const arrived = await ask()
  assert.equal(arrived.status, 'succeeded')
  assert.deepEqual(
    arrived.tries.map(({ attempt, httpStatus }) => [attempt, httpStatus]),
    [
      [2, 204],
      [1, 500],
    ],
  )
  assert.equal(arrived.body, receiver.received[1]?.body)
  const sent = receiver.received.toReversed().map(({ headers }) => headers)
  arrived.tries.forEach(({ headers }, place) => {
    for (const { name, value } of headers)
      if (name === 'webhook-signature') assert.equal(value, null)
      else assert.equal(value, sent[place]?.[name], name)
  })
})

test('one that arrived is sent again under the same id, and the page says who asked for it', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  await record(world, 1)
  await world.settled()
  const { calls, email } = await signedIn(world, 'admin')
  const { deliveries } = await calls.endpoints.deliveries.query({ workspaceId, endpointId })
  await calls.endpoints.resend.mutate({ workspaceId, endpointId, deliveryId: deliveries[0]!.deliveryId })
  await world.settled()
  assert.equal(receiver.received.length, 2)
  assert.equal(receiver.received[0]?.id, receiver.received[1]?.id)
  const [entry] = await world.ask<{ who: string; target: string }>(
    `select who, target from audit_log where workspace_id = $1 and action = 'endpoint.resent_one'`,
    [workspaceId],
  )
  assert.deepEqual(entry, { who: email, target: endpointId })
})

test('the count that was shown is what is sent again, batch by batch, and a run that broke off goes on where it ended', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  const { calls } = await signedIn(world, 'admin')
  await calls.endpoints.pause.mutate({ workspaceId, endpointId })
  await record(world, 1_203)
  const missed = await calls.endpoints.missed.query({ workspaceId, endpointId })
  assert.deepEqual([missed.held, missed.failed], [1_203, 0])
  await calls.endpoints.enable.mutate({ workspaceId, endpointId })
  const choice = { workspaceId, endpointId, statuses: ['failed', 'held'] as ('failed' | 'held')[] }
  const { total, at } = await calls.endpoints.countChosen.query(choice)
  assert.equal(total, 1_203)
  receiver.answers({ status: 410 }) // disables the endpoint in the middle of the run
  const first = await calls.endpoints.resendChosen.mutate({ ...choice, at })
  assert.deepEqual(first, { resent: 1_000, more: true })
  await world.settled()
  await assert.rejects(calls.endpoints.resendChosen.mutate({ ...choice, at }), /is disabled because it failed/)
  const left = await calls.endpoints.missed.query({ workspaceId, endpointId })
  const arrived = new Set(receiver.received.map(({ id }) => id)).size
  assert.ok(left.held >= 204 && left.held + arrived >= 1_203, `${left.held} held, ${arrived} received`)
  await calls.endpoints.enable.mutate({ workspaceId, endpointId })
  let run = { resent: 0, more: true }
  let resent = 0
  while (run.more) {
    run = await calls.endpoints.resendChosen.mutate({ ...choice, at: left.at })
    resent += run.resent
  }
  assert.equal(resent, left.held + left.failed)
  await world.settled()
  assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1_203)
  const entries = await world.ask<{ resent: number }>(
    `select (after ->> 'resent')::int as resent from audit_log where workspace_id = $1 and action = 'endpoint.resent'`,
    [workspaceId],
  )
  assert.equal(
    entries.reduce((sum, entry) => sum + entry.resent, 0),
    1_000 + resent,
  )
})

test('a run chosen by type, time and status sends exactly these', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  const { calls } = await signedIn(world, 'admin')
  await pauseEndpoint(world.parts, { workspaceId, endpointId })
  await record(world, 2)
  world.advance('1h')
  const from = world.clock.now().toISOString()
  const wanted = await record(world, 3)
  await record(world, 2, 'message.failed')
  await resumeEndpoint(world.parts, { workspaceId, endpointId })
  const choice = { workspaceId, endpointId, statuses: ['held' as const], type: 'message.sent' as const, from }
  const { total, at } = await calls.endpoints.countChosen.query(choice)
  assert.equal(total, 3)
  assert.deepEqual(await calls.endpoints.resendChosen.mutate({ ...choice, at }), { resent: 3, more: false })
  await world.settled()
  assert.deepEqual(receiver.received.map(({ id }) => id).sort(), wanted.sort())
  await assert.rejects(calls.endpoints.countChosen.query({ ...choice, to: from }), /Something in the form/)
})

test('the pages of the log neither skip nor repeat a delivery while new ones arrive', async (t) => {
  const world = await startWorld(t)
  const { endpointId } = await world.receiver()
  const { calls } = await signedIn(world, 'member')
  const known = await record(world, 2 * LOG_PAGE + 20)
  const seen = await readLog(calls, { world, endpointId }, () => record(world, 7))
  assert.deepEqual(seen.toSorted(), known.toSorted())
  assert.deepEqual(await readLog(calls, { world, endpointId, status: 'failed' }, async () => []), [])
})

test('the log is filtered by status, type, time and what an event is about', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const receiver = await world.receiver()
  const { endpointId } = receiver
  const { calls } = await signedIn(world, 'member')
  receiver.answers({ status: 500 })
  const [failing] = await record(world, 1)
  await world.settled()
  world.advance('1h')
  const between = world.clock.now().toISOString()
  const late = await record(world, LOG_PAGE + 1, 'message.failed')
  const [order] = [await confirmed(world)]
  await world.settled()
  const ids = (filter: Partial<LogFilter>) => readLog(calls, { world, endpointId, ...filter }, async () => [])
  assert.deepEqual((await ids({ type: 'message.failed' })).toSorted(), late.toSorted())
  assert.deepEqual(await ids({ to: between }), [failing])
  assert.equal((await ids({ from: between })).includes(failing ?? ''), false)
  assert.deepEqual(await ids({ about: failing ?? '' }), [failing])
  assert.deepEqual(await ids({ about: failing ?? '', status: 'held' }), [])
  const [ofOrder] = (await calls.endpoints.deliveries.query({ workspaceId, endpointId, about: order })).deliveries
  assert.deepEqual([ofOrder?.type, ofOrder?.confirmationId], ['cod.confirmed', order])
  await assert.rejects(
    calls.endpoints.deliveries.query({ workspaceId, endpointId, about: 'A-1001' }),
    /Something in the form/,
  )
})

test('another workspace’s endpoint or delivery is answered exactly like a missing one', async (t) => {
  const [world, other] = [await startWorld(t), await startWorld(t)]
  const theirs = await other.receiver()
  await record(other, 1)
  await other.settled()
  const [foreign] = await other.ask<{ id: string }>('select id from webhook_deliveries where endpoint_id = $1', [
    theirs.endpointId,
  ])
  const { calls } = await signedIn(world, 'owner')
  const { workspaceId } = world
  const mine = await world.receiver()
  const answers = async (endpointId: string, deliveryId: string): Promise<string[]> => {
    const id = { workspaceId, endpointId }
    const statuses = ['held' as const]
    const tries = [
      calls.endpoints.find.query(id),
      calls.endpoints.pause.mutate(id),
      calls.endpoints.enable.mutate(id),
      calls.endpoints.rotate.mutate(id),
      calls.endpoints.ping.mutate(id),
      calls.endpoints.deliveries.query(id),
      calls.endpoints.delivery.query({ ...id, deliveryId }),
      calls.endpoints.delivery.query({ ...id, endpointId: mine.endpointId, deliveryId }),
      calls.endpoints.resend.mutate({ ...id, deliveryId }),
      calls.endpoints.missed.query(id),
      calls.endpoints.countChosen.query({ ...id, statuses }),
      calls.endpoints.resendChosen.mutate({ ...id, statuses, at: new Date().toISOString() }),
    ]
    return (await Promise.allSettled(tries)).map((outcome) => {
      assert.equal(outcome.status, 'rejected')
      return String(outcome.reason)
    })
  }
  assert.deepEqual(await answers(theirs.endpointId, foreign?.id ?? ''), await answers(newId(), newId()))
  assert.equal(theirs.received.length, 1)
})

test('a member reads all of it and changes none of it', async (t) => {
  const world = await startWorld(t)
  const { workspaceId } = world
  const { endpointId } = await world.receiver()
  const { calls } = await signedIn(world, 'member')
  const id = { workspaceId, endpointId }
  assert.equal((await calls.endpoints.list.query({ workspaceId })).endpoints.length, 1)
  const tries = [
    calls.endpoints.add.mutate({ workspaceId, url: 'https://example.com/' }),
    calls.endpoints.pause.mutate(id),
    calls.endpoints.enable.mutate(id),
    calls.endpoints.rotate.mutate(id),
    calls.endpoints.ping.mutate(id),
    calls.endpoints.resend.mutate({ ...id, deliveryId: newId() }),
    calls.endpoints.resendChosen.mutate({ ...id, statuses: ['held'], at: new Date().toISOString() }),
  ]
  for (const outcome of await Promise.allSettled(tries)) {
    assert.equal(outcome.status, 'rejected')
    assert.match(String(outcome.reason), /This takes the role admin/)
  }
})

type LogFilter = Parameters<SignedIn['calls']['endpoints']['deliveries']['query']>[0]
type Reading = Partial<LogFilter> & { world: World } & Pick<WorldReceiver, 'endpointId'>

/** The ids of the events in the log, page by page, with something happening in between. */
async function readLog(
  calls: SignedIn['calls'],
  { world, ...filter }: Reading,
  meanwhile: () => Promise<unknown>,
): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await calls.endpoints.deliveries.query({
      workspaceId: world.workspaceId,
      ...filter,
      ...(cursor && { cursor }),
    })
    assert.ok(page.deliveries.length <= LOG_PAGE)
    seen.push(...page.deliveries.map(({ eventId }) => eventId))
    cursor = page.next
    await meanwhile()
  } while (cursor)
  return seen
}

/** Events for every endpoint of the workspace. Returns their ids. */
async function record(
  { parts, workspaceId }: World,
  count: number,
  type: 'message.sent' | 'message.failed' = 'message.sent',
): Promise<string[]> {
  const now = parts.clock.now()
  const events = Array.from({ length: count }, (_, number) => ({
    id: newId(),
    workspaceId,
    type,
    data: { number, occurredAt: now.toISOString() },
  }))
  await parts.db.transaction((tx) => recordEvents(tx, now, events))
  parts.wake('deliver')
  return events.map(({ id }) => id)
}

/** An order that its customer has confirmed. */
async function confirmed(world: World): Promise<string> {
  await world.codSettings()
  const order = await world.createConfirmation()
  await world.settled()
  await world.customer(order).taps('Confirm')
  await world.settled()
  return order.confirmationId
}
