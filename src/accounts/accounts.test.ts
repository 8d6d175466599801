import { asWritten } from '../../locales/text.ts'
import assert from 'node:assert/strict'
import { type TestContext, after, test } from 'node:test'
import { DEMO, type Emulator, demoAccount, startEmulator } from '@doorcode/whatsapp-emulator'
import { fileDatabase } from '../../test/database/database.ts'
import { openTestSeal } from '../../test/database/seal.ts'
import { withConnection } from '../../test/database/postgres.ts'
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/clock.ts'
import { type MovedClock, createMovedClock } from '../../test/faults/moved-clock.ts'
import { type Db, openDb } from '../lib/db/pool.ts'
import { newId } from '../lib/ids.ts'
import { createLog } from '../lib/log.ts'
import { createMetrics } from '../lib/metrics.ts'
import type { WorkName } from '../runtime/jobs/wake.ts'
import type { Parts } from '../runtime/parts.ts'
import { type Provider, ProviderRejectedError } from '../providers/provider.ts'
import { readAnswerError } from '../providers/whatsapp/errors.ts'
import { createWhatsApp } from '../providers/whatsapp/whatsapp.ts'
import { UserError } from '../lib/errors.ts'
import { createWorkspace } from '../workspaces/workspaces.ts'
import { appSecretsAt, findWebhookAccount, getAccount } from './accounts.ts'
import { connectAccount } from '../../test/world/set-up.ts'
import { pauseSender, resumeSender } from './senders.ts'
import { applyChange, markCredentialsInvalid, syncAccount, syncLoop, syncSoon } from './sync/sync.ts'

let db: Db | undefined
const openedDb = async (): Promise<Db> => (db ??= openDb({ url: await fileDatabase(), poolSize: 4 }))
after(() => db?.close())

type Row = Record<string, unknown>
type StartedParts = Omit<Parts, 'config' | 'loops'> & { clock: MovedClock }

/** A workspace, the emulator with one account, and the parts that sync it; no loop runs. */
async function start(t: TestContext) {
  const db = await openedDb()
  const clock = createMovedClock()
  const provider = createWhatsApp()
  const woken: WorkName[] = []
  const parts: StartedParts = {
    db,
    clock,
    provider,
    seal: await openTestSeal(db),
    log: createLog('silent'),
    metrics: createMetrics(),
    wake: (work) => void woken.push(work),
    live: { changed: () => {}, follow: () => () => {} },
    node: { id: newId(), mayDeclareDead: () => false },
  }
  const emulator = await startEmulator()
  const account = emulator.addAccount(demoAccount())
  t.after(() => Promise.all([provider.close(), emulator.close()]))
  const { workspaceId } = await createWorkspace(parts.db, parts.clock, { name: 'Shop', sandbox: false })
  const url = await fileDatabase()
  const ask = (text: string, values: unknown[]): Promise<Row[]> =>
    withConnection(url, async (connection) => (await connection.query<Row>(text, values)).rows)
  // The next test's clock differs: this test's work must not be due then. Its emulator may get this one's port.
  t.after(() => ask(`update provider_accounts set sync_due_at = 'infinity', graph_url = 'http://' || id`, []))
  return {
    ...parts,
    parts,
    woken,
    emulator,
    account,
    workspaceId,
    ask,
    connect: (more: Partial<Parameters<typeof connectAccount>[1]> = {}) =>
      connectAccount(parts, {
        workspaceId,
        wabaId: DEMO.accountId,
        accessToken: DEMO.accessToken,
        appSecret: DEMO.appSecret,
        verifyToken: DEMO.verifyToken,
        graphUrl: emulator.url,
        ...more,
      }),
    stored: async (): Promise<Row> =>
      (await ask('select * from provider_accounts where workspace_id = $1', [workspaceId]))[0] ?? {},
    /** How many numbers the account has. */
    numbers: async (): Promise<number> =>
      (await ask('select id from senders where workspace_id = $1 and gone_at is null', [workspaceId])).length,
    turn: () => syncLoop(parts).turn(),
  }
}

const rejectedWith = (pattern: RegExp) => (error: unknown) => error instanceof UserError && pattern.test(error.message)

test('connecting an account stores its senders and templates and subscribes to webhooks', async (t) => {
  const { connect, account, stored } = await start(t)
  const connected = await connect()
  assert.deepEqual(
    connected.senders.map(({ phoneNumberId, phoneNumber, status }) => [phoneNumberId, phoneNumber, status]),
    [
      [DEMO.standardNumberId, '+15550100101', 'CONNECTED'],
      [DEMO.highNumberId, '+15550100102', 'CONNECTED'],
    ],
  )
  assert.ok(connected.templates.some(({ name, language }) => name === 'login_code' && language === 'en_US'))
  assert.equal(connected.templates.length, account.templates.size)
  assert.equal(connected.webhookPath, `/whatsapp/${connected.accountId}`)
  assert.ok(account.subscribed)
  assert.equal((await stored()).status, 'connected')
})

test('token and secrets are stored sealed and can be opened', async (t) => {
  const { connect, parts, stored } = await start(t)
  const { accountId } = await connect()
  assert.equal((await getAccount(parts, accountId)).accessToken, DEMO.accessToken)
  const webhook = await findWebhookAccount(parts, accountId)
  assert.deepEqual([webhook?.appSecret, webhook?.verifyToken], [DEMO.appSecret, DEMO.verifyToken])
  const row = Object.values(await stored()).map((value) =>
    Buffer.isBuffer(value) ? value.toString('latin1') : String(value),
  )
  for (const secret of [DEMO.accessToken, DEMO.appSecret, DEMO.verifyToken]) assert.ok(!row.join(' ').includes(secret))
})

test('connecting again replaces the secrets, keeps ids and reactivates a rejected account', async (t) => {
  const { connect, parts, stored, woken, workspaceId, clock } = await start(t)
  const first = await connect()
  await markCredentialsInvalid(parts.db, { workspaceId, accountId: first.accountId }, rejectedAt('190', clock))
  const second = await connect({ verifyToken: 'renewed' })
  assert.deepEqual(second, first)
  assert.equal((await findWebhookAccount(parts, first.accountId))?.verifyToken, 'renewed')
  assert.deepEqual([(await stored()).status, (await stored()).status_detail], ['connected', null])
  assert.ok(woken.includes('submit'))
})

test('the previous app secret stays sealed', async (t) => {
  const { connect, account, parts, stored, clock } = await start(t)
  const { accountId } = await connect()
  account.appSecret = 'renewed0secret'
  await connect({ appSecret: 'renewed0secret' })
  const webhook = await findWebhookAccount(parts, accountId)
  assert.ok(webhook)
  assert.deepEqual(appSecretsAt(webhook, clock.now()), ['renewed0secret', DEMO.appSecret])
  const { previous_app_secret: sealed } = await stored()
  assert.ok(Buffer.isBuffer(sealed) && !sealed.toString('latin1').includes(DEMO.appSecret))
})

test('an app secret of another app is rejected and nothing is stored', async (t) => {
  const { connect, stored } = await start(t)
  await assert.rejects(connect({ appSecret: 'of-another-app' }), rejectedWith(/app secret/))
  assert.deepEqual(await stored(), {})
})

test('two simultaneous connects of one account create one account', async (t) => {
  const { connect, parts } = await start(t)
  const [one, other] = await Promise.all([connect(), connect()])
  assert.equal(one.accountId, other.accountId)
  assert.equal((await getAccount(parts, one.accountId)).accessToken, DEMO.accessToken)
})

test('a rejected account is explained and nothing is stored', async (t) => {
  const { connect, ask, workspaceId } = await start(t)
  await assert.rejects(connect({ accessToken: 'not-the-token' }), rejectedWith(/rejects the access token.*190/))
  await assert.rejects(connect({ wabaId: '999999999999999' }), rejectedWith(/no access to an account 999999999999999/))
  await assert.rejects(connect({ wabaId: DEMO.standardNumberId }), rejectedWith(/phone number/))
  await assert.rejects(connect({ graphUrl: 'http://127.0.0.1:1' }), rejectedWith(/ECONNREFUSED.*can be reached/))
  await assert.rejects(connect({ workspaceId: newId() }), rejectedWith(/No workspace has the id/))
  await assert.rejects(connect({ workspaceId: 'mine' }), rejectedWith(/No workspace has the id/))
  assert.deepEqual(await ask('select id from provider_accounts where workspace_id = $1', [workspaceId]), [])
})

test('all invalid fields are reported together', async (t) => {
  const { connect } = await start(t)
  const typed = {
    wabaId: '12 34',
    accessToken: ' ',
    appSecret: 'two words',
    verifyToken: '',
    graphUrl: 'http://graph.facebook.com',
  }
  await assert.rejects(
    connect(typed),
    rejectedWith(
      /Account ID must be 15 to 17 digits.*access token is missing.*app secret.*verify token is missing.*https/,
    ),
  )
  for (const wabaId of ['', '123', '12345678901234', '123456789012345678'])
    await assert.rejects(connect({ wabaId }), rejectedWith(/Account ID must be 15 to 17 digits/), wabaId)
  for (const graphUrl of [
    'graph',
    'ftp://localhost',
    'https://user:pw@graph.facebook.com',
    'https://graph.facebook.com/?a=b',
  ])
    await assert.rejects(connect({ graphUrl }), rejectedWith(/Graph URL/))
})

test('the Graph URL is stored in one spelling, without an empty query or fragment', async (t) => {
  const { connect, emulator, ask, workspaceId } = await start(t)
  const { host } = new URL(emulator.url)
  for (const graphUrl of [`http://${host}/?`, `http://${host}?#`, `HTTP:${host}//`, `http://${host}/v26.0/#`]) {
    await connect({ graphUrl })
    const rows = await ask('select graph_url from provider_accounts where workspace_id = $1', [workspaceId])
    assert.deepEqual(
      rows,
      [{ graph_url: graphUrl.includes('v26.0') ? `${emulator.url}/v26.0` : emulator.url }],
      graphUrl,
    )
  }
})

test('a sync adds, marks as gone, and restores numbers under their old id', async (t) => {
  const { connect, parts, account, emulator, ask, workspaceId } = await start(t)
  const before = await connect()
  const number = account.numbers.get(DEMO.highNumberId)
  assert.ok(number)
  account.numbers.delete(DEMO.highNumberId)
  emulator.addNumber(DEMO.accountId, { displayPhoneNumber: '+1 555-010-0199' })
  for (const [key, template] of account.templates) if (template.name === 'summer_offer') account.templates.delete(key)
  const during = await syncAccount(parts, before.accountId)
  assert.deepEqual(
    during.senders.map(({ phoneNumber }) => phoneNumber),
    ['+15550100101', '+15550100199'],
  )
  assert.ok(!during.templates.some(({ name }) => name === 'summer_offer'))
  const gone = await ask('select id from senders where workspace_id = $1 and gone_at is not null', [workspaceId])
  assert.deepEqual(gone, [{ id: before.senders[1]?.senderId }])
  const paced = await ask(
    'select sender_id from sender_pace where sender_id in (select id from senders where workspace_id = $1)',
    [workspaceId],
  )
  assert.equal(paced.length, 3)

  account.numbers.set(DEMO.highNumberId, number)
  const again = await syncAccount(parts, before.accountId)
  assert.ok(again.senders.some(({ senderId }) => senderId === before.senders[1]?.senderId))
})

test('a sync of an unknown account id is rejected', async (t) => {
  const { parts } = await start(t)
  for (const id of [newId(), 'x']) await assert.rejects(syncAccount(parts, id), rejectedWith(/No account has the id/))
})

test('an account is synced an hour after its last sync, not earlier', async (t) => {
  const { connect, clock, emulator, turn, numbers } = await start(t)
  await connect()
  emulator.addNumber(DEMO.accountId, { displayPhoneNumber: '+1 555-010-0199' })
  clock.advance(HOUR_MS - MINUTE_MS)
  await turn()
  assert.equal(await numbers(), 2)
  clock.advance(2 * MINUTE_MS)
  await turn()
  assert.equal(await numbers(), 3)
})

test('of two nodes that poll together only one syncs an account', async (t) => {
  const { connect, clock, parts } = await start(t)
  await connect()
  clock.advance(2 * HOUR_MS)
  let lists = 0
  const counting = withList(parts, (list) => (lists++, list()))
  await Promise.all([syncLoop(counting).turn(), syncLoop(counting).turn()])
  assert.equal(lists, 1)
})

type List = () => ReturnType<Provider['list']>

/** The parts, with `list` in place of the provider's own, which it gets. */
function withList(parts: StartedParts, list: (own: List) => ReturnType<List>) {
  const provider: Provider = { ...parts.provider, list: (account) => list(() => parts.provider.list(account)) }
  return { ...parts, provider }
}

/** The same account on another emulator with another token: the old token cannot see it. */
async function revokeToken(t: TestContext, { ask, workspaceId }: Awaited<ReturnType<typeof start>>): Promise<Emulator> {
  const other = await startEmulator({ accounts: [demoAccount({ accessToken: 'another-token' })] })
  t.after(() => other.close())
  await ask('update provider_accounts set graph_url = $2 where workspace_id = $1', [workspaceId, other.url])
  return other
}

test('a rejected token stops the account until a sync succeeds', async (t) => {
  const world = await start(t)
  const { connect, clock, stored, turn, emulator, ask, workspaceId, woken } = world
  const { accountId } = await connect()
  await revokeToken(t, world)
  await assert.rejects(syncAccount(world.parts, accountId), rejectedWith(/rejects the access token/))
  assert.equal((await stored()).status, 'credentials_invalid')
  assert.match(JSON.stringify((await stored()).status_detail), /190/)

  await ask('update provider_accounts set graph_url = $2 where workspace_id = $1', [workspaceId, emulator.url])
  await turn()
  assert.equal((await stored()).status, 'credentials_invalid', 'it was synced too early')
  clock.advance(10 * MINUTE_MS)
  await turn()
  assert.deepEqual([(await stored()).status, (await stored()).status_detail], ['connected', null])
  assert.ok(woken.includes('submit'), 'waiting messages were not woken')
})

test('a late rejection of an old token does not stop the account', async (t) => {
  const world = await start(t)
  const { connect, parts, stored, emulator } = world
  const { accountId } = await connect()
  await revokeToken(t, world)
  const replacing = withList(parts, async (list) => {
    try {
      return await list()
    } finally {
      await connect({ graphUrl: emulator.url })
    }
  })
  await assert.rejects(syncAccount(replacing, accountId), UserError)
  assert.equal((await stored()).status, 'connected')
})

test('an unreachable provider only changes the time of the next sync', async (t) => {
  const { connect, parts, ask, stored, numbers, workspaceId } = await start(t)
  const before = await connect()
  await ask(`update provider_accounts set graph_url = 'http://127.0.0.1:1' where workspace_id = $1`, [workspaceId])
  await assert.rejects(syncAccount(parts, before.accountId), rejectedWith(/could not be reached/))
  assert.equal((await stored()).status, 'connected')
  const due = (await stored()).sync_due_at as Date
  assert.ok(due.getTime() < Date.now() + HOUR_MS / 2)
  assert.equal(await numbers(), before.senders.length)
})

test('a fault that WhatsApp cannot explain is called temporary and tried again soon', async (t) => {
  const { connect, parts, stored, clock } = await start(t)
  const { accountId } = await connect()
  for (const code of [1, 131_000]) {
    const error = readAnswerError({ error: { code } }, { httpStatus: 500, mask: (text) => text })
    const faulty = withList(parts, () => Promise.reject(new ProviderRejectedError('list_templates', error)))
    await assert.rejects(syncAccount(faulty, accountId), rejectedWith(/temporary problem/))
    assert.ok(((await stored()).sync_due_at as Date).getTime() - clock.now().getTime() <= 5 * MINUTE_MS)
  }
})

const pausedLogin = {
  kind: 'template',
  wabaId: DEMO.accountId,
  name: 'login_code',
  language: 'en_US',
  status: 'PAUSED',
} as const

test('an update restricts a template immediately but enables it only by sync', async (t) => {
  const { connect, parts, workspaceId, ask, turn, clock, stored } = await start(t)
  const { accountId } = await connect()
  const of = { workspaceId, accountId }
  const statusOf = async (name: string, language: string): Promise<unknown> =>
    (
      await ask('select status from templates where workspace_id = $1 and name = $2 and language = $3', [
        workspaceId,
        name,
        language,
      ])
    )[0]?.status
  await applyChange(parts.db, of, pausedLogin, clock.now())
  assert.equal(await statusOf('login_code', 'en_US'), 'PAUSED')
  assert.equal(await statusOf('login_code', 'fr'), 'APPROVED')
  await applyChange(
    parts.db,
    of,
    { ...pausedLogin, name: 'order_shipped', language: 'en', status: 'APPROVED' },
    clock.now(),
  )
  assert.equal(await statusOf('order_shipped', 'en'), 'PENDING')
  clock.advance(MINUTE_MS)
  await turn()
  assert.equal(await statusOf('login_code', 'en_US'), 'APPROVED', 'the list has the last word')
  assert.ok(((await stored()).sync_due_at as Date) > clock.now())
})

test('an update applies to the account it names, within the workspace only', async (t) => {
  const { connect, parts, workspaceId, ask, emulator, clock } = await start(t)
  const first = await connect()
  const { id: _id, ...seed } = demoAccount()
  const added = emulator.addAccount({
    ...seed,
    numbers: [],
    templates: (seed.templates ?? []).map(({ id: _id, ...template }) => template),
  })
  const second = await connect({ wabaId: added.id })
  const paused = () =>
    ask(`select account_id from templates where workspace_id = $1 and name = 'login_code' and status = 'PAUSED'`, [
      workspaceId,
    ])
  const of = { workspaceId, accountId: first.accountId }
  await applyChange(parts.db, of, { ...pausedLogin, wabaId: '123456789' }, clock.now())
  assert.deepEqual(await paused(), [])
  await applyChange(parts.db, of, { ...pausedLogin, wabaId: added.id }, clock.now())
  assert.deepEqual(await paused(), [{ account_id: second.accountId }])
})

test('an update during a sync causes another sync', async (t) => {
  const { connect, parts, workspaceId, clock, stored } = await start(t)
  const { accountId } = await connect()
  clock.advance(2 * HOUR_MS)
  const updated = withList(parts, async (list) => {
    const listing = await list()
    await syncSoon(parts.db, { workspaceId, accountId }, clock.now())
    return listing
  })
  await syncLoop(updated).turn()
  clock.advance(MINUTE_MS)
  assert.ok(((await stored()).sync_due_at as Date) <= clock.now())
})

test('many updates cause at most one sync per minute', async (t) => {
  const { connect, parts, workspaceId, clock } = await start(t)
  const of = { workspaceId, accountId: (await connect()).accountId }
  let lists = 0
  const updated = withList(parts, async (list) => {
    lists += 1
    await applyChange(parts.db, of, pausedLogin, clock.now()) // another update during the sync
    return list()
  })
  const loop = syncLoop(updated)
  for (let second = 0; second < 180; second += 5) {
    await applyChange(parts.db, of, pausedLogin, clock.now())
    await loop.turn()
    clock.advance(5 * SECOND_MS)
  }
  assert.ok(lists === 2 || lists === 3, `${lists} lists in three minutes`)
})

test('updates do not shorten the wait after WhatsApp has limited management calls', async (t) => {
  const { connect, parts, workspaceId, clock } = await start(t)
  const of = { workspaceId, accountId: (await connect()).accountId }
  const error = readAnswerError({ error: { code: 80_007 } }, { httpStatus: 400, mask: (text) => text })
  let lists = 0
  const limited = withList(parts, async () => {
    lists += 1
    await applyChange(parts.db, of, pausedLogin, clock.now()) // another update during the sync
    throw new ProviderRejectedError('list_numbers', error)
  })
  const loop = syncLoop(limited)
  for (let minute = 0; minute < 30; minute += 1) {
    clock.advance(MINUTE_MS)
    await applyChange(parts.db, of, pausedLogin, clock.now())
    await loop.turn()
  }
  assert.equal(lists, 1)
  clock.advance(2 * MINUTE_MS)
  await loop.turn()
  assert.equal(lists, 2)
})

test('an older listing does not replace a newer one', async (t) => {
  const { connect, parts, clock, emulator, numbers } = await start(t)
  const { accountId } = await connect()
  clock.advance(1000)
  const slow = withList(parts, async (list) => {
    const old = await list()
    emulator.addNumber(DEMO.accountId, { displayPhoneNumber: '+1 555-010-0199' })
    clock.advance(1000)
    await syncAccount(parts, accountId)
    return old
  })
  await syncAccount(slow, accountId)
  assert.equal(await numbers(), 3)
})

test('a token rejected in a send is not retried immediately', async (t) => {
  const { connect, parts, workspaceId, clock, stored } = await start(t)
  const { accountId } = await connect()
  const of = { workspaceId, accountId }
  await markCredentialsInvalid(parts.db, of, rejectedAt('200 Permission missing', clock))
  await syncSoon(parts.db, of, clock.now())
  const due = ((await stored()).sync_due_at as Date).getTime() - clock.now().getTime()
  assert.ok(due > MINUTE_MS && due < 10 * MINUTE_MS)
})

test('a token rejected in a send that works again releases its account after five minutes', async (t) => {
  const { connect, parts, workspaceId, clock, stored, turn } = await start(t)
  const { accountId } = await connect()
  await markCredentialsInvalid(parts.db, { workspaceId, accountId }, rejectedAt('190 Access token expired', clock))
  clock.advance(4 * MINUTE_MS)
  await turn()
  assert.equal((await stored()).status, 'credentials_invalid')
  clock.advance(MINUTE_MS)
  await turn()
  assert.equal((await stored()).status, 'connected')
})

const rejectedAt = (detail: string, clock: Clock) => ({ detail: asWritten(detail), sentAt: clock.now() })

test('rejecting an old token after its replacement leaves the account connected', async (t) => {
  const { connect, parts, workspaceId, clock, stored } = await start(t)
  const { accountId } = await connect()
  const rejected = rejectedAt('190 Access token expired', clock)
  clock.advance(SECOND_MS)
  await connect()
  await markCredentialsInvalid(parts.db, { workspaceId, accountId }, rejected)
  assert.equal((await stored()).status, 'connected')
})

test('only its own workspace can pause and resume a sender', async (t) => {
  const { connect, parts, workspaceId, ask, clock } = await start(t)
  const senderId = (await connect()).senders[0]?.senderId ?? ''
  const paused = async (): Promise<boolean> =>
    (await ask('select paused_at from senders where id = $1', [senderId]))[0]?.paused_at !== null
  assert.equal(await pauseSender(parts.db, { workspaceId: newId(), senderId }, clock.now()), false)
  assert.equal(await paused(), false)
  assert.equal(await pauseSender(parts.db, { workspaceId, senderId }, clock.now()), true)
  assert.equal(await paused(), true)
  assert.equal(await resumeSender(parts.db, { workspaceId: newId(), senderId }), false)
  assert.equal(await paused(), true)
  assert.equal(await resumeSender(parts.db, { workspaceId, senderId }), true)
  assert.equal(await paused(), false)
})
