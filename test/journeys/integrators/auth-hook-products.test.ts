import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { COMMAND_LINE } from '../../../src/admin/audit/audit.ts'
import { perform } from '../../../src/admin/actions/action.ts'
import { hookActions } from '../../../src/admin/actions/hooks.ts'
import { callSupabase, createHook, postHook, zitadelHeaders } from '../../world/hooks.ts'
import { listen } from '../../world/listen.ts'
import { type World, newPhone, startWorld } from '../../world/world.ts'

/** The code and the language of the message that the phone got. */
async function codeTo(world: World, phone: string): Promise<{ code: string; language: string } | undefined> {
  const [row] = await world.query<{ id: string; language: string }>(
    'select id, template_language as language from messages where workspace_id = $1 and recipient = $2',
    [world.workspaceId, phone],
  )
  return row && { code: await world.codeOn({ messageId: row.id }), language: row.language }
}

type Connector = {
  sendMessage(data: object, config: { endpoint: string; authorization?: string }): Promise<unknown>
}

/** Logto's own connector, as its server loads it. */
async function logtoConnector(): Promise<Connector> {
  const modules = createRequire(new URL('../../../examples/package.json', import.meta.url))
  const url = pathToFileURL(modules.resolve('@logto/connector-http-sms')).href
  const { default: create } = (await import(url)) as { default: (given: object) => Promise<Connector> }
  return create({ getConfig: async () => ({}) })
}

test('Logto’s own connector sends a code, and shows why one is rejected', async (t) => {
  const world = await startWorld(t)
  const { url: endpoint, secret } = await createHook(world, 'logto')
  const connector = await logtoConnector()
  const sendMessage: Connector['sendMessage'] = (data, config) => connector.sendMessage(data, config)
  const to = newPhone()
  const data = { to, type: 'SignIn', payload: { code: '493817', locale: 'ar' } }
  for (const authorization of [`Bearer ${secret}`, String(secret)]) await sendMessage(data, { endpoint, authorization })
  assert.deepEqual(await codeTo(world, to), { code: '493817', language: 'ar' })
  const invalid = { ...data, to: 'x', payload: { code: '493817' } }
  await assert.rejects(
    sendMessage(invalid, { endpoint, authorization: `Bearer ${secret}` }),
    ({ data }: { data?: unknown }) => {
      assert.match(JSON.stringify(data), /"\/to must be/)
      return true
    },
  )
  for (const authorization of ['Bearer x', `Bearer ${secret}x`])
    await assert.rejects(sendMessage(data, { endpoint, authorization }))
  await assert.rejects(sendMessage(data, { endpoint }))
})

test('a code for a number that Supabase does not name is never sent to the number that the user had', async (t) => {
  const world = await startWorld(t)
  const hook = await createHook(world, 'supabase')
  const [phone, changedTo] = [newPhone(), newPhone()]
  const { body } = await callSupabase(world, hook, { phone, code: '493817', changedTo: null })
  assert.match(JSON.stringify(body), /"http_code":422,"message":"\/sms\/phone must be a string/)
  assert.equal(await codeTo(world, phone), undefined)
  await callSupabase(world, hook, { phone, code: '493817', changedTo })
  assert.equal((await codeTo(world, changedTo))?.code, '493817')
})

/** As https://zitadel.com/docs/guides/manage/customize/notification-providers shows it. */
const zitadelBody = ({ phone, args }: { phone: string; args: object }): string =>
  JSON.stringify({
    contextInfo: {
      eventType: 'user.human.phone.code.added',
      provider: { id: '285181292935381355', description: 'Doorcode' },
      recipientPhoneNumber: phone,
    },
    templateData: { title: 'Verify phone', text: 'Your code is 493817.' },
    args: { displayName: 'Amina', loginNames: ['amina@example.com'], lastPhone: phone, ...args },
  })

test('ZITADEL sends a code with the signing key that it made', async (t) => {
  const world = await startWorld(t)
  const { hookId, url, secret } = await createHook(world, 'zitadel')
  assert.equal(secret, null)
  const phone = newPhone()
  const body = zitadelBody({ phone, args: { code: '493817', preferredLanguage: 'ar' } })
  const key = 'kV3nQvZ8sT1wYb6eRm4x'
  const call = (headers: Record<string, string>, bytes = body) => postHook(url, bytes, headers)
  const now = () => world.clock.now()
  assert.equal((await call(zitadelHeaders(body, now(), key))).status, 401, 'before the key is stored')
  await perform(
    hookActions.rotate,
    { ...world.parts, actor: COMMAND_LINE },
    { workspaceId: world.workspaceId, hookId, secret: key },
  )
  const sent = await call(zitadelHeaders(body, now(), key))
  assert.equal(sent.status, 200, sent.text)
  assert.deepEqual(await codeTo(world, phone), { code: '493817', language: 'ar' })

  const other = newPhone()
  const otp = zitadelBody({ phone: other, args: { oTP: '118822' } })
  const signed = zitadelHeaders(otp, now(), key)['zitadel-signature'] ?? ''
  const [time = ''] = signed.split(',')
  const ofAnotherKey = createHmac('sha256', 'another').update('x').digest('hex')
  const several = `${time},v1=${ofAnotherKey},${signed.slice(time.length + 1)}`
  assert.equal((await call({ 'zitadel-signature': several }, otp)).status, 200)
  assert.deepEqual(await codeTo(world, other), { code: '118822', language: 'en_US' })

  const old = new Date(now().getTime() - 301_000)
  for (const header of ['', 't=,v1=', time, `t=1,${signed.slice(time.length + 1)}`, `${time},v0=${signed.slice(-64)}`])
    assert.equal((await call({ 'zitadel-signature': header }, otp)).status, 401, header)
  assert.equal((await call(zitadelHeaders(body, old, key))).status, 401)
  assert.equal((await call(zitadelHeaders(body, now(), 'wrong'))).status, 401)

  const [verifiedPhone, lastPhone] = [newPhone(), newPhone()]
  const unnamed = zitadelBody({ phone: '', args: { code: '220044', verifiedPhone, lastPhone } })
  const unsent = await call(zitadelHeaders(unnamed, now(), key), unnamed)
  assert.equal(unsent.status, 422, 'a number of the account may be another one than the code is for')
  assert.match(unsent.text, /\/contextInfo\/recipientPhoneNumber must be a string/)

  const empty = zitadelBody({ phone, args: {} })
  const rejected = await call(zitadelHeaders(empty, now(), key), empty)
  assert.equal(rejected.status, 422)
  assert.match(JSON.stringify(rejected.body), /DEVELOPER_INVALID_INPUT.*\/args\/code must be a string/)
})

/** What products send to a generic hook with these pointers: docs/auth-hooks.md */
const GENERIC = {
  'Ory Kratos': { pointers: {}, body: (to: string) => ({ to, code: '493817' }), language: 'en_US' },
  authentik: {
    pointers: { phone: '/To', code: '/Body' },
    body: (To: string) => ({ From: 'Doorcode', To, Body: '493817', Message: 'Use this code: 493817' }),
    language: 'en_US',
  },
  FusionAuth: {
    pointers: { phone: '/phoneNumber', code: '/textMessage' },
    body: (phoneNumber: string) => ({ phoneNumber, textMessage: '493817', type: 'SMS' }),
    language: 'en_US',
  },
  Auth0: { pointers: {}, body: (to: string) => ({ to, code: '493817', language: 'ar-EG' }), language: 'ar' },
  'a body with odd names': {
    pointers: { phone: '/a~1b/0', code: '/m~0n', language: '/l' },
    body: (to: string) => ({ 'a/b': [to], 'm~n': '493817', l: 'ar' }),
    language: 'ar',
  },
}

for (const [product, { pointers, body, language }] of Object.entries(GENERIC))
  test(`a generic hook reads what is sent by ${product}`, async (t) => {
    const world = await startWorld(t)
    const { url, secret } = await createHook(world, 'generic', { pointers })
    const phone = newPhone()
    const authorization = `Bearer ${secret}`
    const sent = await postHook(url, JSON.stringify(body(phone.slice(1))), { authorization })
    assert.equal(sent.status, 200, sent.text)
    assert.deepEqual(await codeTo(world, phone), { code: '493817', language })
    const rejected = await postHook(url, '{}', { authorization })
    assert.equal(rejected.status, 422)
    assert.equal((rejected.body as { code: string }).code, 'DEVELOPER_INVALID_INPUT')
    assert.equal((await postHook(url, JSON.stringify(body(phone)), {})).status, 401)
  })

type Auth0Action = (
  event: object,
  api: { notification: Record<'drop' | 'retry', (why: unknown) => void> },
) => Promise<void>

test('the code for Auth0 in the guide sends a code, and says why one is dropped, a wrong secret or URL included', async (t) => {
  const world = await startWorld(t)
  const { url, secret } = await createHook(world, 'generic')
  const guide = await readFile(new URL('../../../docs/auth-hooks.md', import.meta.url), 'utf8')
  const [, code = ''] = /```js\n(exports\.onExecuteCustomPhoneProvider.*?)```/s.exec(guide) ?? []
  const exports: { onExecuteCustomPhoneProvider?: Auth0Action } = {}
  runInNewContext(code, { exports, fetch })
  const reasonFor = async (recipient: string, secrets = { DOORCODE_URL: url, DOORCODE_SECRET: secret }) => {
    const reasons: unknown[] = []
    const [drop, retry] = [(why: unknown) => void reasons.push(why), (why: unknown) => void reasons.push(why)]
    const event = { notification: { recipient, code: '493817', locale: 'ar' }, secrets }
    await exports.onExecuteCustomPhoneProvider?.(event, { notification: { drop, retry } })
    return reasons.join()
  }
  const phone = newPhone()
  assert.equal(await reasonFor(phone), '')
  assert.deepEqual(await codeTo(world, phone), { code: '493817', language: 'ar' })
  assert.match(await reasonFor('0612'), /\/to must be in international format/)
  assert.match(
    await reasonFor(phone, { DOORCODE_URL: url, DOORCODE_SECRET: 'x' }),
    /not signed with the secret of the hook/,
  )
  assert.match(await reasonFor(phone, { DOORCODE_URL: `${url}/`, DOORCODE_SECRET: secret }), /No route has this path/)
  const echo = createServer((request, response) => void request.pipe(response.writeHead(400)))
  const echoUrl = `http://${await listen(t, echo)}`
  assert.equal(await reasonFor(phone, { DOORCODE_URL: echoUrl, DOORCODE_SECRET: secret }), 'status 400')
})

test('a hook completes a number without its plus in Arabic and Persian digits too, as users type it', async (t) => {
  const world = await startWorld(t)
  const { url, secret } = await createHook(world, 'generic')
  const authorization = `Bearer ${secret}`
  for (const zero of [0x660, 0x6f0]) {
    const phone = newPhone()
    const to = phone.slice(1).replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
    const sent = await postHook(url, JSON.stringify({ to, code: '493817' }), { authorization })
    assert.equal(sent.status, 200, sent.text)
    assert.equal((await codeTo(world, phone))?.code, '493817')
  }
})

test('Okta gets its own answers', async (t) => {
  const world = await startWorld(t)
  const profile = '/data/messageProfile'
  const pointers = { phone: `${profile}/phoneNumber`, code: `${profile}/otpCode`, language: `${profile}/locale` }
  const { url, secret } = await createHook(world, 'generic', { pointers })
  const phoneNumber = newPhone()
  const bodyWith = (otpCode: string) =>
    JSON.stringify({
      eventType: 'com.okta.telephony.provider',
      requestType: 'com.okta.user.telephony.pre-enrollment',
      data: { messageProfile: { phoneNumber, otpCode, deliveryChannel: 'SMS', locale: 'AR' } },
    })
  const call = (code: string) => postHook(url, bodyWith(code), { authorization: `Bearer ${secret}` })
  const sent = (await call('11111')).body as { commands: { type: string; value: { status: string }[] }[] }
  assert.equal(sent.commands[0]?.type, 'com.okta.telephony.action')
  assert.equal(sent.commands[0].value[0]?.status, 'SUCCESSFUL')
  assert.deepEqual(await codeTo(world, phoneNumber), { code: '11111', language: 'ar' })
  const rejected = await call('1 1 1 1 1')
  const { error } = rejected.body as { error: { errorSummary: string; errorCauses: { reason: string }[] } }
  assert.match(error.errorSummary, /otpCode must be 1 to 15/)
  assert.equal(error.errorCauses[0]?.reason, 'DEVELOPER_INVALID_INPUT')
})
