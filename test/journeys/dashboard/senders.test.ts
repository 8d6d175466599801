import { asWritten } from '../../../locales/text.ts'
import { inEnglish } from '../../../locales/resources.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DEMO } from '@doorcode/whatsapp-emulator'
import { DAY_MS } from '../../../src/lib/clock.ts'
import { advanceSandbox } from '../../../src/sandbox/advance.ts'
import { accountForm, anotherAccount, startSlowEmulator } from '../../world/accounts.ts'
import { createCalls, faultsOf, rejectedAs, signIn } from '../../world/dashboard.ts'
import { waitFor } from '../../world/wait-for.ts'
import { startWorld } from '../../world/world.ts'

test('each invalid id, token or URL of an account is rejected at its field', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { form } = anotherAccount(world)
  const wrong = {
    wabaId: ['1234567890123', '123456789012345', 'not digits', DEMO.standardNumberId],
    accessToken: ['EAAnobody', DEMO.accessToken, '', 'two words'],
    appSecret: ['of-another-app', '', 'two words'],
    verifyToken: ['', 'two words'],
    graphUrl: ['nowhere', 'http://example.com', 'http://127.0.0.1:1', world.first.url],
  }
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      const faults = await faultsOf(calls.senders.connect.mutate({ ...form, [field]: value }))
      assert.deepEqual(Object.keys(faults), [field], `${field} = ${value}: ${JSON.stringify(faults)}`)
    }
  }
  assert.equal((await calls.senders.accounts.query({ workspaceId: world.workspaceId })).length, 1)
})

test('the emulator’s URL is shown only in a sandbox, to those who may set a Graph URL', async (t) => {
  const world = await startWorld(t)
  const strict = await world.node({ settings: { DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '0' } })
  const { workspaceId } = world
  const [owner, operator] = [await signIn(world, 'owner'), await signIn(world, 'operator')]
  const urlFor = ({ cookie }: { cookie: string }, url = world.first.url) =>
    createCalls(url, cookie).senders.emulatorUrl.query({ workspaceId })
  assert.equal(await urlFor(owner), null, 'a live workspace')
  await world.query('update workspaces set sandbox = true where id = $1', [workspaceId])
  assert.equal(await urlFor(owner), world.emulator.url)
  assert.equal(await urlFor(owner, strict.url), null)
  assert.equal(await urlFor(operator, strict.url), world.emulator.url)
  await world.query('delete from operators')
})

test('webhooks that WhatsApp sends to no app are turned on again, and this is audited', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { workspaceId } = world
  const { accountId } = world.account
  world.emulator.changeAccount(DEMO.accountId, { subscribed: false })
  assert.deepEqual(await calls.senders.subscribers.mutate({ workspaceId, accountId }), [])
  await calls.senders.subscribe.mutate({ workspaceId, accountId })
  assert.deepEqual(await calls.senders.subscribers.mutate({ workspaceId, accountId }), ['Emulator app'])
  const { entries } = await calls.auditLog.list.query({ workspaceId, action: 'account.subscribed' })
  assert.deepEqual(
    entries.map(({ target }) => target),
    [accountId],
  )
})

test('only an operator may use another URL than WhatsApp’s', async (t) => {
  const world = await startWorld(t)
  const strict = await world.node({ settings: { DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '0' } })
  const { form } = anotherAccount(world)
  const [owner, operator] = [await signIn(world, 'owner'), await signIn(world, 'operator')]
  const connect = ({ cookie }: { cookie: string }) => createCalls(strict.url, cookie).senders.connect.mutate(form)
  assert.match((await faultsOf(connect(owner)))['graphUrl'] ?? '', /Only an operator/)
  await connect(operator)
})

test('all faults of a form are reported together', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const faults = await faultsOf(
    calls.senders.connect.mutate(accountForm(world, { wabaId: '', accessToken: '', appSecret: '', verifyToken: '' })),
  )
  assert.deepEqual(Object.keys(faults).sort(), ['accessToken', 'appSecret', 'verifyToken', 'wabaId'])
})

test('a connected account shows its webhook URL and numbers, never its secrets', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { workspaceId } = world
  const { form } = anotherAccount(world)
  const connected = await calls.senders.connect.mutate(form)
  assert.deepEqual([connected.known, connected.numbers], [false, 1])
  assert.match(connected.callbackUrl, new RegExp(`/whatsapp/${connected.accountId}$`))
  const shown = [
    await calls.senders.accounts.query({ workspaceId }),
    await calls.senders.list.query({ workspaceId }),
    await calls.auditLog.list.query({ workspaceId }),
    connected,
  ]
  for (const secret of ['EAAanother', 'another0secret', form.verifyToken])
    assert.ok(!JSON.stringify(shown).includes(secret), secret)
  assert.ok(JSON.stringify(shown).includes('account.connected'))
  assert.deepEqual(await calls.senders.subscribers.mutate({ workspaceId, accountId: connected.accountId }), [
    'Emulator app',
  ])
})

test('a new token repairs an account and keeps its other secrets', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { workspaceId, account } = world
  const { accountId } = account
  await world.query(`update provider_accounts set status = 'credentials_invalid' where id = $1`, [accountId])
  const [before] = await calls.senders.list.query({ workspaceId })
  assert.equal(before?.obstacle, 'account')
  const renew = (fields: object) =>
    calls.senders.renew.mutate({ workspaceId, accountId, accessToken: '', appSecret: '', verifyToken: '', ...fields })
  assert.deepEqual(Object.keys(await faultsOf(renew({}))), ['accessToken'])
  assert.deepEqual(Object.keys(await faultsOf(renew({ accessToken: 'EAAnobody' }))), ['accessToken'])
  await renew({ accessToken: DEMO.accessToken })
  const [after] = await calls.senders.list.query({ workspaceId })
  assert.equal(after?.obstacle, null)
  const otp = await world.submitOtp()
  await world.whatsapp.reports(otp, ['delivered'])
  assert.equal((await world.getOtp(otp)).status, 'delivered', 'the app secret still verifies webhooks')
  const changed = world.emulator.changeAccount(DEMO.accountId, {})
  changed.appSecret = 'renewed0secret'
  await renew({ appSecret: 'renewed0secret' })
  await world.whatsapp.reports(otp, ['read']) // the emulator may still sign with the old secret
  assert.equal((await world.getOtp(otp)).status, 'read', 'both secrets are accepted')
})

test('a sync reports what is new, changed and gone', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { workspaceId, account, emulator } = world
  const { accountId } = account
  const nothing = await calls.senders.sync.mutate({ workspaceId, accountId })
  assert.deepEqual(nothing.numbers, { total: 2, added: [], changed: [], gone: [] })
  emulator.addNumber(DEMO.accountId, { displayPhoneNumber: '+1 555-010-0177' })
  emulator.changeNumber(DEMO.standardNumberId, { status: 'RESTRICTED' })
  emulator.addTemplate(DEMO.accountId, {
    name: 'brand_new',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hello.' }],
  })
  const result = await calls.senders.sync.mutate({ workspaceId, accountId })
  assert.deepEqual(result.numbers, { total: 3, added: ['+15550100177'], changed: ['+15550100101'], gone: [] })
  assert.deepEqual(result.templates.added, ['brand_new (en)'])
})

test('of two syncs the later is shown, and none after its reader dies', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { workspaceId, account, clock } = world
  const { accountId } = account
  const emulator = await startSlowEmulator(t, world)
  const syncs = () => calls.senders.syncs.query({ workspaceId })
  const first = emulator.hold('phone_numbers')
  const begun = calls.senders.sync.mutate({ workspaceId, accountId })
  await first.arrived
  assert.equal((await syncs()).length, 1)
  clock.advance(1_000)
  const second = emulator.hold('message_templates')
  const begunLater = calls.senders.sync.mutate({ workspaceId, accountId })
  const readingTemplates = { accountId, step: 'templates', numbers: 2, templates: 0 }
  await waitFor('the second to read templates', async () => (await syncs())[0]?.step === 'templates')
  first.fail()
  await assert.rejects(begun)
  assert.deepEqual(await syncs(), [readingTemplates], 'the end of the first is none of the second')
  clock.advance(61_000)
  assert.deepEqual(await syncs(), [], 'a sync that is silent for more than a minute has died')
  second.go()
  await begunLater
  assert.deepEqual(await syncs(), [])
  assert.deepEqual(
    await world.query('select from provider_accounts where workspace_id = $1 and sync_step is not null', [workspaceId]),
    [],
  )
})

test('a sync that WhatsApp rejects shows the reason until the next one', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { workspaceId, account } = world
  await world.query(`update provider_accounts set graph_url = 'http://127.0.0.1:1' where id = $1`, [account.accountId])
  const rejected = /could not be reached/
  await assert.rejects(calls.senders.sync.mutate({ workspaceId, accountId: account.accountId }), rejected)
  const [stored] = await calls.senders.accounts.query({ workspaceId })
  assert.match(inEnglish(stored?.statusDetail ?? asWritten('')), rejected)
})

test('today’s messages are counted by sender, in the sandbox’s time', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signIn(world, 'member')
  const { workspaceId, senderId } = world
  assert.deepEqual(await calls.senders.traffic.query({ workspaceId }), { senders: [], isComplete: true })
  await world.sendOtp()
  await world.sendOtp()
  assert.deepEqual(await calls.senders.traffic.query({ workspaceId }), {
    senders: [{ senderId, messages: 2, failed: 0 }],
    isComplete: true,
  })
  await world.query('update workspaces set sandbox = true where id = $1', [workspaceId])
  await advanceSandbox(world.parts, { workspaceId, byMs: DAY_MS })
  await world.sendOtp()
  assert.deepEqual(await calls.senders.traffic.query({ workspaceId }), {
    senders: [{ senderId, messages: 1, failed: 0 }],
    isComplete: true,
  })
})

test('another workspace’s sender and account look missing', async (t) => {
  const world = await startWorld(t)
  const other = await startWorld(t)
  const { calls } = await signIn(world, 'admin')
  const { workspaceId } = world
  const ids = { senderId: other.senderId, accountId: other.account.accountId }
  const secrets = { accessToken: 'x', appSecret: '', verifyToken: '' }
  const tries = [
    () => calls.senders.pause.mutate({ workspaceId, ...ids }),
    () => calls.senders.resume.mutate({ workspaceId, ...ids }),
    () => calls.senders.sync.mutate({ workspaceId, ...ids }),
    () => calls.senders.renew.mutate({ workspaceId, ...ids, ...secrets }),
    () => calls.senders.subscribers.mutate({ workspaceId, ...ids }),
    () => calls.senders.subscribe.mutate({ workspaceId, ...ids }),
  ]
  for (const attempt of tries) await assert.rejects(attempt(), rejectedAs('NOT_FOUND'))
})
