import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { perform } from '../../../src/admin/actions/action.ts'
import { hookActions } from '../../../src/admin/actions/hooks.ts'
import { COMMAND_LINE } from '../../../src/admin/audit/audit.ts'
import { dailyFiguresLoop, findEarliestDay, findUncountedSince } from '../../../src/charts/daily.ts'
import { DAY_MS, later } from '../../../src/lib/clock.ts'
import { lifeOf, tableNames } from '../../../src/operations/columns.ts'
import { confirmRemoval, createRemovalGuard } from '../../../src/operations/lifecycle/retention/guard.ts'
import { retentionLoop } from '../../../src/operations/lifecycle/retention/loop.ts'
import type { Parts } from '../../../src/runtime/parts.ts'
import { pauseEndpoint, resumeEndpoint } from '../../../src/webhooks/endpoints.ts'
import { confirmationPath, refusalPath } from '../../world/cod.ts'
import { createHook, sendThroughHook } from '../../world/hooks.ts'
import { signIn } from '../../world/dashboard.ts'
import { explainInEnglish } from '../../world/explained.ts'
import { lockInAnotherSession } from '../../faults/lock-in-another-session.ts'
import { erase } from '../../world/recipients.ts'
import { record } from '../../database/events.ts'
import { assertVerified } from '../../world/verified.ts'
import { waitFor } from '../../world/wait-for.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

const KEEP = { contentDays: 90, recordsDays: 400, auditDays: 730 }
const SETTINGS = {
  DOORCODE_KEEP_CONTENT_DAYS: '90',
  DOORCODE_KEEP_RECORDS_DAYS: '400',
  DOORCODE_KEEP_AUDIT_DAYS: '730',
}
const MAX_TURNS = 500

/** The parts of a node, this many days later. */
const inDays = ({ parts }: World, days: number): Parts => ({
  ...parts,
  clock: { now: () => later(parts.clock.now(), days * DAY_MS) },
})

/** Its node removes nothing: the tests do, by other clocks. Clocks of other tests may have been ahead. */
async function startShop(t: TestContext): Promise<World> {
  const world = await startWorld(t, { settings: SETTINGS })
  await world.query('delete from retention_postponed')
  await world.query('update retention set position = null, kept_since = null')
  return world
}

const ALL_COUNTED = () => Promise.resolve(undefined)

/** The loop of a node, with a guard of its own. */
const loopOf = (parts: Parts, findUncounted: typeof findUncountedSince) =>
  retentionLoop({
    ...parts,
    guard: createRemovalGuard(parts, { timeOf: () => parts.clock.now() }),
    findUncountedSince: findUncounted,
  })

const retain = (world: World, days: number, findUncounted?: typeof findUncountedSince): Promise<void> =>
  retainAt(world, inDays(world, days), findUncounted)

/** Two nodes take turns until both have nothing left; the first is restarted in between. An operator confirms the jump of the time. */
async function retainAt(
  world: World,
  parts: Parts,
  findUncounted = ALL_COUNTED as typeof findUncountedSince,
): Promise<void> {
  await world.settled()
  await parts.db.transaction((tx) => confirmRemoval(tx, { now: parts.clock.now(), keep: KEEP }))
  let one = loopOf(parts, findUncounted)
  const other = loopOf(parts, findUncounted)
  for (let turn = 0; turn < 5; turn += 1) await Promise.all([one.turn(), other.turn()])
  one = loopOf(parts, findUncounted)
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const [{ more }] = await Promise.all([one.turn(), other.turn()])
    if (more) continue
    while ((await other.turn()).more); // the rows that the first node had locked
    return
  }
  throw new Error(`retention still had work after ${MAX_TURNS} turns`)
}

/** What an order, a code, their webhooks and templates leave. */
const TABLES = tableNames.filter((table) => lifeOf(table).kept === 'records' || lifeOf(table).purge === 'part')

/** How many rows of the workspace hold a text, by table. */
async function rowsWith(world: World, text: string): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of [...TABLES, 'webhook_deliveries']) {
    const [row] = await world.query<{ rows: number }>(
      `select count(*)::int as rows from ${table} t where workspace_id = $1 and t::text like '%' || $2 || '%'`,
      [world.workspaceId, text],
    )
    if (row && row.rows > 0) found[table] = row.rows
  }
  return found
}

const withKey = (key: string) => ({ headers: { 'idempotency-key': key } })
const PARAMETERS = { body: ['Canary Ana', 'Canary 5521', '349 MAD'] }
const REFUSAL_PARAMETERS = { body: ['Canary Ana', 'Canary 5521'] }

/** An order with notes of its customer, a refusal check, a webhook of each, and a one-time code; and two that were rejected. */
async function trade(world: World) {
  await world.codSettings()
  const rejected = await reject(world)
  const receiver = await world.receiver()
  receiver.always({ status: 200, body: 'Canary answer' })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent', 'delivered'])
  const verification = await world.startVerification()
  await world.check(verification, await world.codeOn(verification))
  const order = await world.askToConfirm({ parameters: PARAMETERS }, withKey(`order ${world.workspaceId}`))
  const customer = world.customer(order)
  await customer.taps('Change time')
  await customer.types('Canary: after the prayer')
  await world.askAboutRefusal(order, { parameters: REFUSAL_PARAMETERS }, withKey(`refusal ${world.workspaceId}`))
  await customer.taps('Yes')
  await customer.types('Canary: the box was open')
  return { otp, order, rejected, receiver, customer }
}

/** WhatsApp repeats what it does not accept. */
async function reject(world: World) {
  const to = newPhone()
  const behaviour = { error: { code: 132012, title: 'Canary title', details: 'Canary', echoParameters: true } }
  world.emulator.script({ match: { to }, behaviour })
  await world.sendOtp({ to })
  return world.createConfirmation({ to, parameters: PARAMETERS })
}

const keptSince = async (world: World) => {
  const { calls } = await signIn(world, 'member')
  const session = await calls.session.current.query()
  return session?.workspaces.find(({ workspaceId }) => workspaceId === world.workspaceId)?.keptSince
}

test('verify finds no difference in a confirmation that outlives its first reports', async (t) => {
  const world = await startShop(t)
  await world.codSettings()
  const [code, order] = [await world.submitOtp(), await world.askToConfirm()]
  await world.customer(order).taps('Confirm')
  const until = new Date()
  await waitFor('the next millisecond', () => new Date() > until)
  await world.askAboutRefusal(order)
  await assertVerified(world)
  await retainAt(world, { ...world.parts, clock: { now: () => later(until, 400 * DAY_MS) } })
  assert.equal((await world.request('GET', `/api/v1/otp/messages/${code.messageId}`)).status, 404)
  assert.equal((await world.getConfirmation(order)).status, 'confirmed', 'it has a message that is kept')
  await assertVerified(world)
})

test('after 90 days no text or payload is left, and every reader says that it was removed', async (t) => {
  const world = await startShop(t)
  const { order, otp, rejected, receiver } = await trade(world)
  const { calls } = await signIn(world, 'owner')
  const { workspaceId } = world
  const before = await rowsWith(world, 'Canary')
  assert.equal(before['message_attempts'], 2)
  for (const table of [
    'messages',
    'provider_reports',
    'confirmations',
    'refusal_checks',
    'cod_answers',
    'events',
    'webhook_attempts',
  ])
    assert.ok(before[table], `${table} holds a canary`)
  assert.deepEqual(await keptSince(world), { content: null, records: null, audit: null })

  await retain(world, 89)
  assert.deepEqual(await rowsWith(world, 'Canary'), before)
  await retain(world, 91)
  assert.deepEqual(await rowsWith(world, 'Canary'), {})
  assert.deepEqual(await rowsWith(world, order.to), { messages: 5, confirmations: 1 })

  const view = await world.getConfirmation(order)
  assert.deepEqual([view.status, view.reschedule?.note, view.refusalCheck?.note], ['rescheduled', null, null])
  assert.equal((await world.getOtp(otp)).status, 'delivered')
  const told = (await explainInEnglish(world.parts, order.confirmationId))?.timeline
    .map(({ detail }) => detail)
    .join('\n')
  assert.match(told ?? '', /\(the text was removed\)/)
  assert.match(told ?? '', /writes or taps something whose content was removed/)
  const ofCode = await explainInEnglish(world.parts, otp.messageId)
  assert.match(JSON.stringify(ofCode?.timeline), /WhatsApp reports something whose content was removed/)
  const ofRejected = await explainInEnglish(world.parts, rejected.confirmationId)
  assert.match(JSON.stringify(ofRejected?.timeline), /HTTP 400.*132012.*Parameter format differs from the template/)
  const { transcript } = await calls.confirmations.get.query({ workspaceId, confirmationId: order.confirmationId })
  assert.ok(transcript.some((entry) => entry.by === 'customer' && entry.kind === 'removed'))
  const { displayed } = await calls.messages.get.query({ workspaceId, messageId: otp.messageId })
  assert.match(JSON.stringify(displayed.body), /•••••/)

  const { endpointId } = receiver
  const { rows } = await calls.endpoints.deliveries.query({ workspaceId, endpointId })
  const deliveryId = rows[0]?.deliveryId ?? ''
  const delivery = await calls.endpoints.delivery.query({ workspaceId, endpointId, deliveryId })
  assert.deepEqual([delivery.body, delivery.tries[0]?.response], ['', null])
  await assert.rejects(
    calls.endpoints.resend.mutate({ workspaceId, endpointId, deliveryId }),
    /body of this event was removed/,
  )
  const since = await keptSince(world)
  assert.ok(since?.content)
  assert.equal(since.records, null)
})

test('explain never advises resending a webhook whose content was removed', async (t) => {
  const world = await startShop(t)
  const { workspaceId } = world
  const { endpointId } = await world.receiver()
  const endpoint = { workspaceId, endpointId }
  await pauseEndpoint(world.parts.db, world.parts.clock, endpoint)
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  const advice = async () => (await explainInEnglish(world.parts, otp.messageId))?.next.sentence
  assert.match((await advice()) ?? '', /“doorcode endpoint resend /)
  await retain(world, 91)
  const removed = /^Read the state with GET: the webhook did not arrive at http.*, because its content was removed\.$/
  assert.match((await advice()) ?? '', removed)
  await resumeEndpoint(world.parts.db, world.parts.clock, endpoint)
  assert.match((await advice()) ?? '', removed)
})

test('after a jump of all clocks nothing is removed until an operator confirms', async (t) => {
  const world = await startShop(t)
  await trade(world)
  const before = await rowsWith(world, world.workspaceId)
  const removeIn = async (days: number): Promise<void> => {
    const loop = loopOf(inDays(world, days), ALL_COUNTED)
    for (let turn = 0; turn < MAX_TURNS; turn += 1) if (!(await loop.turn()).more) return
  }
  await removeIn(0)
  await removeIn(500)
  await removeIn(1)
  assert.deepEqual(await rowsWith(world, world.workspaceId), before)
  await retain(world, 500)
  assert.deepEqual(await rowsWith(world, world.workspaceId), {})
})

test('repeats of requests whose parameters are removed are still compared with them', async (t) => {
  const world = await startShop(t)
  const { order } = await trade(world)
  const body = world.confirmationBody({ to: order.to, parameters: PARAMETERS })
  const refusal = world.refusalBody({ parameters: REFUSAL_PARAMETERS })
  const ask = async (path: string, key: string, asked: object): Promise<string> => {
    const answer = await world.request('POST', path, { body: asked, ...withKey(`${key} ${world.workspaceId}`) })
    return answer.status === 202 ? 'accepted' : ((answer.body as { code?: string }).code ?? '')
  }
  const others = { parameters: { body: ['Another', 'Canary 5521', '349 MAD'] } }
  const answersNow = async () => [
    await ask(confirmationPath, 'order', body),
    await ask(confirmationPath, 'order', { ...body, ...others }),
    await ask(refusalPath(order), 'refusal', refusal),
    await ask(refusalPath(order), 'refusal', { ...refusal, parameters: { body: ['Another', 'Canary 5521'] } }),
  ]
  const expected = ['accepted', 'IDEMPOTENCY_KEY_REUSED', 'accepted', 'IDEMPOTENCY_KEY_REUSED']
  assert.deepEqual(await answersNow(), expected)
  await retain(world, 91)
  assert.deepEqual(await rowsWith(world, 'Canary'), {})
  assert.deepEqual(await answersNow(), expected)
})

test('a running conversation keeps its texts until it ends', async (t) => {
  const world = await startShop(t)
  await world.codSettings()
  const order = await world.askToConfirm({ parameters: PARAMETERS })
  await retain(world, 91)
  assert.equal((await rowsWith(world, 'Canary'))['messages'], 1)
  await world.after('121m')
  assert.deepEqual(
    world.emulator.messages().map(({ to }) => `+${to.replace('+', '')}`),
    [order.to, order.to],
    'the reminder repeats the first message',
  )
  await world.customer(order).taps('Confirm')
  await retain(world, 92)
  assert.deepEqual(await rowsWith(world, 'Canary'), {})

  const running = await world.createConfirmation()
  await retain(world, 401)
  assert.equal((await world.getConfirmation(running)).status, 'awaiting_answer')
})

test('an event that still waits for its endpoint keeps its body and its message', async (t) => {
  const world = await startShop(t)
  const receiver = await world.receiver()
  receiver.always({ status: 500 })
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  await receiver.waitFor(1)
  await retain(world, 401)
  const [event] = await world.query<{ id: string; body: string }>('select id, body from events where message_id = $1', [
    otp.messageId,
  ])
  assert.match(event?.body ?? '', /message\.sent/)
  const { status } = await world.request('GET', `/api/v1/events?after=${event?.id}`)
  assert.equal(status, 200, 'a client that reads it can continue after it')
  receiver.always({ status: 204 })
  world.advance('6s')
  await receiver.waitFor(2)
  await retain(world, 402)
  assert.deepEqual(await rowsWith(world, world.workspaceId), {})
})

test('a position before the kept content is not found, one on an erased event is', async (t) => {
  const world = await startShop(t)
  const statusAfter = async (id = '') => {
    const { status, body } = await world.request('GET', `/api/v1/events?after=${id}`)
    return status === 200 ? status : body.code
  }
  const [first, last] = await record(world, 2)
  await retain(world, 89)
  assert.deepEqual([await statusAfter(first), await statusAfter(last)], [200, 200])
  await retain(world, 91)
  assert.deepEqual([await statusAfter(first), await statusAfter(last)], ['EVENT_NOT_FOUND', 'EVENT_NOT_FOUND'])
  const otp = await world.sendOtp()
  await world.whatsapp.reports(otp, ['sent'])
  await erase(world, otp)
  const [erased] = await world.query<{ id: string }>(
    `select id from events where workspace_id = $1 and message_id = $2 and body = ''`,
    [world.workspaceId, otp.messageId],
  )
  assert.equal(await statusAfter(erased?.id), 200)
})

test('after 400 days an order is removed with everything that belongs to it, and quotas stay', async (t) => {
  const world = await startShop(t)
  const { order, otp } = await trade(world)
  await world.query(
    `insert into template_changes (id, workspace_id, account_id, name, language, at, field)
     values (uuidv7(), $1, $2, 'login_code', 'en_US', now(), 'status')`,
    [world.workspaceId, world.account.accountId],
  )
  const usage = () =>
    world.query('select kind, used from quota_usage where workspace_id = $1 order by 1', [world.workspaceId])
  const used = await usage()
  await retain(world, 399)
  assert.equal(Object.keys(await rowsWith(world, world.workspaceId)).length, TABLES.length + 1)
  await retain(world, 401)
  assert.deepEqual(await rowsWith(world, world.workspaceId), {})
  assert.deepEqual(await usage(), used)
  assert.equal((await world.request('GET', `/api/v1/otp/messages/${otp.messageId}`)).status, 404)
  await world.createConfirmation({ parameters: PARAMETERS }, withKey(`order ${world.workspaceId}`)) // the key is free again
  const since = await keptSince(world)
  assert.ok(since?.records && since.content && since.content >= since.records)
  assert.equal(await explainInEnglish(world.parts, order.confirmationId), undefined)
})

test('after 400 days what a hook sent is removed, also of a deleted hook, and the other hook still works', async (t) => {
  const world = await startShop(t)
  const [hook, deleted] = [await createHook(world, 'supabase'), await createHook(world, 'supabase')]
  const sent = [await sendThroughHook(world, hook), await sendThroughHook(world, deleted)]
  const { workspaceId } = world
  await perform(hookActions.remove, { ...world.parts, actor: COMMAND_LINE }, { workspaceId, hookId: deleted.hookId })
  for (const message of sent) await world.whatsapp.reports(message, ['delivered'])
  const explained = async ({ messageId }: { messageId: string }) =>
    JSON.stringify((await explainInEnglish(world.parts, messageId))?.timeline)
  await retain(world, 91)
  for (const message of sent) {
    assert.match(await explained(message), /auth hook “supabase”/)
    assert.equal((await world.getOtp(message)).status, 'delivered')
  }
  await retain(world, 401)
  assert.deepEqual(await rowsWith(world, workspaceId), {})
  await sendThroughHook(world, hook)
})

test('an event whose last result was lost while its endpoint was paused is removed with its age', async (t) => {
  const world = await startShop(t)
  await trade(world)
  await world.query(
    `update webhook_deliveries set status = 'held', due_at = null, ended_at = null, lease = gen_random_uuid() where workspace_id = $1`,
    [world.workspaceId],
  )
  await retain(world, 401)
  assert.deepEqual(await rowsWith(world, world.workspaceId), {})
})

const LATE_WORK = {
  'a late report of its message': 'select id from messages where confirmation_id = $1 for no key update',
  'a resend of its webhook': `select d.id from webhook_deliveries d join events e on e.id = d.event_id
    where e.confirmation_id = $1 for no key update of d`,
}

for (const [work, lock] of Object.entries(LATE_WORK)) {
  test(`an order does not wait for ${work}, nor go before it`, async (t) => {
    const world = await startShop(t)
    const { order } = await trade(world)
    const before = await rowsWith(world, order.confirmationId)
    const unlock = await lockInAnotherSession(t, world.parts.db, lock, order.confirmationId)
    await retain(world, 401)
    const { messages, confirmations, events, cod_answers } = await rowsWith(world, order.confirmationId)
    assert.deepEqual({ ...before, messages, confirmations, events, cod_answers }, before)
    await unlock()
    await retain(world, 402)
    assert.deepEqual(await rowsWith(world, order.confirmationId), {})
  })
}

test('a sandbox whose clock was moved keeps what is recent in real time', async (t) => {
  const world = await startShop(t)
  await trade(world)
  const { workspaceId } = world
  await world.query('update workspaces set sandbox = true, clock_offset_ms = $2 where id = $1', [
    workspaceId,
    500 * DAY_MS,
  ])
  const before = await rowsWith(world, 'Canary')
  await retain(world, 1)
  assert.deepEqual(await rowsWith(world, 'Canary'), before)
})

test('audit log entries are removed after 730 days', async (t) => {
  const world = await startShop(t)
  const owner = await signIn(world, 'owner')
  await owner.calls.workspaces.rename.mutate({ workspaceId: world.workspaceId, name: 'Renamed' })
  const entries = () => world.query('select id from audit_log where workspace_id = $1', [world.workspaceId])
  await retain(world, 729)
  assert.equal((await entries()).length, 1)
  await retain(world, 731)
  assert.equal((await entries()).length, 0)
  assert.ok((await keptSince(world))?.audit)
})

test('records wait until their days are counted, and removed days are never counted again', async (t) => {
  const world = await startShop(t)
  const { workspaceId } = world
  await world.query('update workspaces set sandbox = true where id <> $1', [workspaceId]) // only this one is counted
  await world.submitOtp()
  await retain(world, 401, findUncountedSince)
  assert.equal((await rowsWith(world, workspaceId))['messages'], 1, 'no day of this workspace is counted')

  const count = async (days: number) => {
    const loop = dailyFiguresLoop(inDays(world, days))
    for (let turns = 0; turns < MAX_TURNS; turns += 1) if (!(await loop.turn()).more) return
  }
  const figures = () =>
    world.query<{ day: string; time_zone: string; groups: object[] }>(
      `select day::text, time_zone, groups from daily_figures where workspace_id = $1 and groups <> '[]'`,
      [workspaceId],
    )
  for (const days of [1, 11, 12]) await count(days)
  const [counted] = await figures()
  assert.equal(counted?.time_zone, 'UTC')
  for (const days of [60, 150, 240, 330, 400, 401, 411]) await count(days)
  await retain(world, 412, findUncountedSince)
  assert.deepEqual(await rowsWith(world, workspaceId), {})
  await world.codSettings()
  await count(413)
  assert.deepEqual(await figures(), [counted])
})

test('the charts of a sandbox begin with the first day whose records are all kept', async (t) => {
  const world = await startShop(t)
  const { workspaceId, parts } = world
  const createdAt = new Date()
  const keptSince = later(createdAt, 10 * DAY_MS)
  await world.query(
    `insert into retention (step, class, position, kept_since) values ('records of messages', 'records', $1, $2)
     on conflict (step) do update set position = excluded.position, kept_since = excluded.kept_since`,
    [workspaceId, keptSince],
  )
  const query = { workspaceId, createdAt, timeZone: 'UTC', now: later(createdAt, 20 * DAY_MS) }
  const earliest = (sandbox: boolean) => findEarliestDay(parts.db, { ...query, clock: { sandbox, offsetMs: 0 } })
  const dayAfter = (days: number): string =>
    later(createdAt, days * DAY_MS)
      .toISOString()
      .slice(0, 10)
  assert.equal(await earliest(false), dayAfter(0), 'daily figures are kept')
  assert.equal(await earliest(true), dayAfter(11))
  await world.query('insert into clock_moves (workspace_id, moved_at, by_ms) values ($1, $2, $3)', [
    workspaceId,
    later(createdAt, DAY_MS),
    2 * DAY_MS,
  ])
  assert.equal(await earliest(true), dayAfter(13), 'in the time of the sandbox')
})
