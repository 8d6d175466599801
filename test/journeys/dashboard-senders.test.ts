import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { TRPCClientError } from '@trpc/client'
import { DEMO, demoAccount } from '../../emulator/emulator.ts'
import { DAY_MS } from '../../src/clock.ts'
import { advanceSandbox } from '../../src/sandbox/advance.ts'
import { closeBrowser, openPage } from '../browser.ts'
import { callsOf, signedIn } from '../dashboard.ts'
import { type World, startWorld } from '../world.ts'

after(closeBrowser)

/** An account of the twin that is connected to no workspace yet. */
function anotherAccount(world: World) {
  const { id: _id, ...seed } = demoAccount({ accessToken: 'EAAanother', appSecret: 'another0secret' })
  const added = world.twin.addAccount({
    ...seed,
    numbers: [{ displayPhoneNumber: '+1 555-010-0190', verifiedName: 'Second Shop' }],
    templates: (seed.templates ?? []).map(({ id: _id, ...template }) => template),
  })
  return { added, form: formOf(world, { wabaId: added.id, accessToken: 'EAAanother', appSecret: 'another0secret' }) }
}

const formOf = (world: World, fields: object) => ({
  workspaceId: world.workspaceId,
  wabaId: DEMO.accountId,
  graphUrl: world.twin.url,
  accessToken: DEMO.accessToken,
  appSecret: DEMO.appSecret,
  verifyToken: 'a-verify-token',
  ...fields,
})

/** The faults of a form that must be refused, by field. */
async function faultsOf(call: Promise<unknown>): Promise<Record<string, string>> {
  const error = await call.then(
    () => assert.fail('the form was taken'),
    (refused: unknown) => refused,
  )
  assert.ok(error instanceof TRPCClientError)
  const { faults } = error.data as { faults: { path: string; message: string }[] }
  return Object.fromEntries(faults.map(({ path, message }) => [path, message]))
}

const refusedAs = (code: string) => (error: unknown) =>
  error instanceof TRPCClientError && (error.data as { code: string }).code === code

test('each wrong id, token or address of an account is answered at its own field', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signedIn(world, 'admin')
  const { form } = anotherAccount(world)
  const wrong = {
    wabaId: ['1234567890123', 'not digits', DEMO.standardNumberId],
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

test('an account that is connected on the page tells what is wrong where it is wrong, and its number sends', async (t) => {
  const world = await startWorld(t)
  const page = await openPage(t, world, { as: await signedIn(world, 'admin') })
  const { form } = anotherAccount(world)
  await page.goto(`/dashboard/w/${world.workspaceId}/senders`)
  await page.getByRole('button', { name: 'Connect a WhatsApp account' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('WhatsApp Business Account ID').fill(form.wabaId)
  await dialog.getByLabel('Access token').fill('EAAnobody')
  await dialog.getByLabel('App secret').fill(form.appSecret)
  await dialog.getByRole('button', { name: 'Make one' }).click()
  const verifyToken = await dialog.getByLabel('Verify token').inputValue()
  await dialog.getByRole('button', { name: 'Not Meta itself?' }).click()
  await dialog.getByLabel('Graph URL').fill(form.graphUrl)
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await dialog.getByText('WhatsApp refuses the access token').waitFor()
  await dialog.getByLabel('Access token').fill(form.accessToken)
  await dialog.getByRole('button', { name: 'Connect', exact: true }).click()
  await dialog.getByText('The account is connected').waitFor()
  const callback = (await dialog.getByText(/\/whatsapp\/[0-9a-f-]{36}$/).textContent()) ?? ''
  const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.challenge': '42', 'hub.verify_token': verifyToken })
  const handshake = await fetch(`${world.first.url}${new URL(callback).pathname}?${query.toString()}`)
  assert.equal(await handshake.text(), '42', 'the callback URL and the verify token that were shown work')
  await dialog.getByRole('button', { name: 'Done' }).click()
  const row = page.getByRole('row', { name: /555 010 0190/ })
  await row.getByText('can send').waitFor()
  const senderId = (await row.getByText(/^[0-9a-f]{8}-/).textContent()) ?? ''
  await world.sendOtp({ senderId })
  await row.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await row.getByText('cannot send').waitFor()
})

test('only an operator may make the server call another address than WhatsApp’s', async (t) => {
  const world = await startWorld(t)
  const strict = await world.node({ settings: { DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '0' } })
  const { form } = anotherAccount(world)
  const [owner, operator] = [await signedIn(world, 'owner'), await signedIn(world, 'operator')]
  const connect = ({ cookie }: { cookie: string }) => callsOf(strict.url, cookie).senders.connect.mutate(form)
  assert.match((await faultsOf(connect(owner)))['graphUrl'] ?? '', /Only an operator/)
  await connect(operator)
})

test('several faults of a form are told at once', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signedIn(world, 'admin')
  const faults = await faultsOf(
    calls.senders.connect.mutate(formOf(world, { wabaId: '', accessToken: '', appSecret: '', verifyToken: '' })),
  )
  assert.deepEqual(Object.keys(faults).sort(), ['accessToken', 'appSecret', 'verifyToken', 'wabaId'])
})

test('a connected account tells where its webhooks go, is told apart by its numbers, and shows no secret again', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signedIn(world, 'admin')
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
    'Twin app',
  ])
})

test('a new token mends an account whose token is refused, and leaves its other secrets alone', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signedIn(world, 'admin')
  const { workspaceId, account } = world
  const { accountId } = account
  await world.ask(`update provider_accounts set status = 'credentials_invalid' where id = $1`, [accountId])
  const [before] = await calls.senders.list.query({ workspaceId })
  assert.equal(before?.obstacle, 'account')
  const renew = (fields: object) =>
    calls.senders.renew.mutate({ workspaceId, accountId, accessToken: '', appSecret: '', verifyToken: '', ...fields })
  assert.deepEqual(Object.keys(await faultsOf(renew({}))), ['accessToken'])
  assert.deepEqual(Object.keys(await faultsOf(renew({ accessToken: 'EAAnobody' }))), ['accessToken'])
  await renew({ accessToken: DEMO.accessToken })
  const [after] = await calls.senders.list.query({ workspaceId })
  assert.equal(after?.obstacle, null)
  const otp = await world.sendOtp()
  await world.settled()
  await world.whatsapp.reports(otp, ['delivered'])
  assert.equal((await world.getOtp(otp)).status, 'delivered', 'the app secret still judges what comes in')
})

test('a sync on demand tells what is new, what changed and what is gone', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signedIn(world, 'admin')
  const { workspaceId, account, twin } = world
  const { accountId } = account
  const nothing = await calls.senders.sync.mutate({ workspaceId, accountId })
  assert.deepEqual(nothing.numbers, { total: 2, added: [], changed: [], gone: [] })
  twin.addNumber(DEMO.accountId, { displayPhoneNumber: '+1 555-010-0177' })
  twin.changeNumber(DEMO.standardNumberId, { status: 'RESTRICTED' })
  twin.addTemplate(DEMO.accountId, {
    name: 'brand_new',
    language: 'en',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hello.' }],
  })
  const result = await calls.senders.sync.mutate({ workspaceId, accountId })
  assert.deepEqual(result.numbers, { total: 3, added: ['+15550100177'], changed: ['+15550100101'], gone: [] })
  assert.deepEqual(result.templates.added, ['brand_new (en)'])
})

test('a sync that WhatsApp refuses says why, and the account keeps saying it', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signedIn(world, 'admin')
  const { workspaceId, account } = world
  await world.ask(`update provider_accounts set graph_url = 'http://127.0.0.1:1' where id = $1`, [account.accountId])
  const refused = /could not be asked/
  await assert.rejects(calls.senders.sync.mutate({ workspaceId, accountId: account.accountId }), refused)
  const [stored] = await calls.senders.accounts.query({ workspaceId })
  assert.match(stored?.statusDetail ?? '', refused)
})

test('a paused sender accepts nothing until it is resumed, and both are in the audit log', async (t) => {
  const world = await startWorld(t)
  const { calls, email } = await signedIn(world, 'admin')
  const { workspaceId, senderId } = world
  const send = () => world.request('POST', '/api/v1/otp/messages', { body: world.otpBody() })
  await calls.senders.pause.mutate({ workspaceId, senderId })
  assert.equal((await send()).body.code, 'OTP_SENDER_UNAVAILABLE')
  assert.equal((await calls.senders.list.query({ workspaceId }))[0]?.obstacle, 'paused')
  await calls.senders.resume.mutate({ workspaceId, senderId })
  assert.equal((await send()).status, 202)
  const log = await world.ask<{ who: string; action: string }>(
    'select who, action from audit_log where workspace_id = $1 order by id',
    [workspaceId],
  )
  assert.deepEqual(log, [
    { who: email, action: 'sender.paused' },
    { who: email, action: 'sender.resumed' },
  ])
})

test('the messages of today are counted by sender, and a sandbox’s today is that of its own clock', async (t) => {
  const world = await startWorld(t)
  const { calls } = await signedIn(world, 'member')
  const { workspaceId, senderId } = world
  assert.deepEqual(await calls.senders.traffic.query({ workspaceId }), [])
  await world.sendOtp()
  await world.sendOtp()
  assert.deepEqual(await calls.senders.traffic.query({ workspaceId }), [{ senderId, messages: 2, failed: 0 }])
  await world.ask('update workspaces set sandbox = true where id = $1', [workspaceId])
  await advanceSandbox(world.parts, { workspaceId, byMs: DAY_MS })
  await world.sendOtp()
  assert.deepEqual(await calls.senders.traffic.query({ workspaceId }), [{ senderId, messages: 1, failed: 0 }])
})

test('another workspace’s account or sender answers exactly like a missing one, and a member changes nothing', async (t) => {
  const world = await startWorld(t)
  const other = await startWorld(t)
  const { calls } = await signedIn(world, 'admin')
  const member = (await signedIn(world, 'member')).calls
  const { workspaceId } = world
  const ids = { senderId: other.senderId, accountId: other.account.accountId }
  const secrets = { accessToken: 'x', appSecret: '', verifyToken: '' }
  const tries = [
    () => calls.senders.pause.mutate({ workspaceId, ...ids }),
    () => calls.senders.resume.mutate({ workspaceId, ...ids }),
    () => calls.senders.sync.mutate({ workspaceId, ...ids }),
    () => calls.senders.renew.mutate({ workspaceId, ...ids, ...secrets }),
    () => calls.senders.subscribers.mutate({ workspaceId, ...ids }),
  ]
  for (const attempt of tries) await assert.rejects(attempt(), refusedAs('NOT_FOUND'))
  const mine = { workspaceId, senderId: world.senderId, accountId: world.account.accountId }
  await assert.rejects(member.senders.pause.mutate(mine), refusedAs('FORBIDDEN'))
  await assert.rejects(member.senders.sync.mutate(mine), refusedAs('FORBIDDEN'))
  await assert.rejects(member.senders.renew.mutate({ ...mine, ...secrets }), refusedAs('FORBIDDEN'))
  await assert.rejects(member.senders.connect.mutate(formOf(world, {})), refusedAs('FORBIDDEN'))
})
