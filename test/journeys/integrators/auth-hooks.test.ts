import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hookActions } from '../../../src/admin/actions/hooks.ts'
import { perform } from '../../../src/admin/actions/action.ts'
import { COMMAND_LINE } from '../../../src/admin/audit/audit.ts'
import { keyIdOf } from '../../../src/otp/hooks/hooks.ts'
import { explained } from '../../world/explained.ts'
import { assertVerified } from '../../world/verified.ts'
import { callSupabase, createHook, postHook, supabaseBody, supabaseHeaders } from '../../world/hooks.ts'
import { type World, newCode, newPhone, startWorld } from '../../world/world.ts'

const SECRET = /^v1,whsec_[A-Za-z0-9+/]{43}=$/

type Message = { id: string; template_language: string; recipient: string; idempotency_key: string }

const messagesOf = (world: World): Promise<Message[]> =>
  world.query<Message>('select * from messages where workspace_id = $1 order by id', [world.workspaceId])

test('a code that Supabase signs reaches the phone, in the language of the user', async (t) => {
  const world = await startWorld(t)
  const hook = await createHook(world, 'supabase')
  assert.match(hook.secret ?? '', SECRET)
  const cases = [
    { phone: newPhone(), code: '493817', locale: 'ar-MA', expected: 'ar' },
    { phone: newPhone().slice(1), code: '004817', locale: 'en', expected: 'en_US' },
    { phone: newPhone(), code: '123456', locale: 'de', expected: 'en_US' },
    { phone: newPhone(), code: '123457', expected: 'en_US' },
  ]
  for (const { expected, ...fields } of cases) {
    const answer = await callSupabase(world, hook, fields)
    assert.deepEqual([answer.status, answer.body], [200, {}], answer.text)
    assert.equal(answer.headers.get('content-type'), 'application/json')
    const to = fields.phone.startsWith('+') ? fields.phone : `+${fields.phone}`
    const [stored] = (await messagesOf(world)).filter(({ recipient }) => recipient === to)
    assert.ok(stored)
    assert.equal(stored.template_language, expected)
    assert.equal(await world.codeOn({ messageId: stored.id }), fields.code)
  }
})

test('explain names the hook of a code, with its kind and id, and never a hook of another workspace', async (t) => {
  const [world, another] = [await startWorld(t), await startWorld(t)]
  const [hook, foreign] = [await createHook(world, 'supabase'), await createHook(another, 'zitadel')]
  await callSupabase(world, hook, { phone: newPhone(), code: '493817' })
  const [{ id } = { id: '' }] = await messagesOf(world)
  const requestText = async (): Promise<string | undefined> =>
    (await explained(world, id)).timeline.find(({ what }) => what === 'request')?.detail
  assert.match(String(await requestText()), new RegExp(`auth hook “supabase” \\(supabase, ${hook.hookId}\\)`))
  await world.query('update messages set api_key_id = $2 where id = $1', [id, keyIdOf(foreign.hookId)])
  assert.match(String(await requestText()), new RegExp(`; key hook:${foreign.hookId}, `))
})

test('a hook repeats no code: another try gets the same message, over two nodes, and in the next window too', async (t) => {
  const world = await startWorld(t)
  const other = await world.node()
  const hook = await createHook(world, 'supabase')
  const fields = { phone: newPhone(), code: '493817' }
  const urls = [hook.url, `${other.url}/hooks/${hook.hookId}`]
  const tries = await Promise.all([...urls, ...urls].map((url) => callSupabase(world, { ...hook, url }, fields)))
  assert.deepEqual(
    tries.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  world.advance('299s')
  assert.equal((await callSupabase(world, hook, { ...fields, locale: 'ar' })).status, 200)
  const messages = await messagesOf(world)
  assert.equal(messages.length, 1)
  assert.ok(!JSON.stringify(messages).includes(fields.code), 'the code is stored nowhere')
  const used = await world.query('select used from quota_usage where workspace_id = $1', [world.workspaceId])
  assert.deepEqual(used, [{ used: 1 }])

  await callSupabase(world, hook, { ...fields, code: '493818' })
  await callSupabase(world, await createHook(world, 'supabase'), fields)
  world.advance('601s')
  await callSupabase(world, hook, fields)
  assert.equal((await messagesOf(world)).length, 4)
  await world.settled()
  await assertVerified(world)
})

test('a missing hook, a wrong signature, an old one and one over other bytes get the same answer, and send nothing', async (t) => {
  const world = await startWorld(t)
  const hook = await createHook(world, 'supabase')
  const deleted = await createHook(world, 'supabase')
  await perform(
    hookActions.remove,
    { ...world.parts, actor: COMMAND_LINE },
    { workspaceId: world.workspaceId, hookId: deleted.hookId },
  )
  const body = supabaseBody({ phone: newPhone(), code: newCode() })
  const now = world.clock.now()
  const good = supabaseHeaders(body, now, [hook.secret ?? ''])
  const minutes = (count: number) => new Date(now.getTime() + count * 60_000)
  const [missing] = [hook.url.replace(/.{12}$/, '000000000000')]
  const answers = [
    await postHook(missing, body, good),
    await postHook(hook.url.replace(/[^/]+$/, 'x'), body, good),
    await postHook(deleted.url, body, supabaseHeaders(body, now, [deleted.secret ?? ''])),
    await postHook(hook.url, body, {}),
    await postHook(hook.url, body, supabaseHeaders(body, now, [deleted.secret ?? ''])),
    await postHook(hook.url, body, supabaseHeaders(body, minutes(-6), [hook.secret ?? ''])),
    await postHook(hook.url, body, supabaseHeaders(body, minutes(6), [hook.secret ?? ''])),
    await postHook(hook.url, `${body} `, good),
    await postHook(hook.url, body, { authorization: `Bearer ${hook.secret}` }),
  ]
  for (const { status, text, headers } of answers) {
    assert.equal(status, 401)
    assert.equal(text, answers[0]?.text)
    assert.equal(headers.get('content-type'), 'application/json')
  }
  assert.deepEqual(await messagesOf(world), [])
  const metrics = await world.parts.metrics.registry.metrics()
  assert.match(metrics, /auth_hooks_rejected_total\{reason="signature"\} 9/)
})

test('requests to hooks are counted as accepted or rejected, even if Supabase gets the status 200', async (t) => {
  const world = await startWorld(t)
  const hook = await createHook(world, 'supabase')
  const call = (phone: string) => callSupabase(world, hook, { phone, code: newCode() })
  assert.deepEqual((await call(newPhone())).body, {})
  const invalid = await call('x')
  assert.deepEqual([invalid.status, invalid.text.includes('"http_code":422')], [200, true], invalid.text)
  assert.equal((await postHook(hook.url, '{}', {})).status, 401)
  const metrics = await world.parts.metrics.registry.metrics()
  const counts = [...metrics.matchAll(/auth_hook_seconds_count\{outcome="(\w+)"\} (\d+)/g)]
  assert.deepEqual(
    counts.map(([, outcome, count]) => `${outcome} ${count}`),
    ['accepted 1', 'rejected 2'],
  )
})

test('an address with too many wrong signatures must wait, unless its hook is in use and its signature right', async (t) => {
  const world = await startWorld(t)
  const [used, unused] = [await createHook(world, 'supabase'), await createHook(world, 'supabase')]
  assert.equal((await callSupabase(world, used, { phone: newPhone(), code: '100000' })).status, 200)
  const guess = () => postHook(used.url.replace(/.{12}$/, '000000000000'), '{}', {})
  for (let tries = 0; tries < 20; tries += 1) assert.equal((await guess()).status, 401)
  const limited = await guess()
  assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '10'])
  assert.equal((await callSupabase(world, unused, { phone: newPhone(), code: '100001' })).status, 429)
  assert.equal((await callSupabase(world, used, { phone: newPhone(), code: '100002' })).status, 200)
})

test('a rotated secret works immediately, and the previous one for a day', async (t) => {
  const world = await startWorld(t)
  const hook = await createHook(world, 'supabase')
  const call = (secret: string | null, code: string) =>
    callSupabase(world, { ...hook, secret }, { phone: newPhone(), code })
  assert.equal((await call(hook.secret, '1')).status, 200)
  const operator = { ...world.parts, actor: COMMAND_LINE }
  const id = { workspaceId: world.workspaceId, hookId: hook.hookId }
  const { secret } = await perform(hookActions.rotate, operator, id)
  assert.match(secret ?? '', SECRET)
  assert.equal((await call(secret, '2')).status, 200)
  assert.equal((await call(hook.secret, '3')).status, 200)
  const both = supabaseBody({ phone: newPhone(), code: '4' })
  const headers = supabaseHeaders(both, world.clock.now(), [hook.secret ?? '', secret ?? ''])
  assert.match(headers['webhook-signature'] ?? '', /, /)
  assert.equal((await postHook(hook.url, both, headers)).status, 200)
  world.advance('24h')
  assert.equal((await call(hook.secret, '5')).status, 401)
  assert.equal((await call(secret, '6')).status, 200)
})

test('a new secret works immediately where the previous one cannot be decrypted', async (t) => {
  const world = await startWorld(t)
  const hook = await createHook(world, 'supabase')
  await world.query(`update auth_hooks set secret = set_byte(secret, 20, get_byte(secret, 20) # 255) where id = $1`, [
    hook.hookId,
  ])
  const operator = { ...world.parts, actor: COMMAND_LINE }
  const id = { workspaceId: world.workspaceId, hookId: hook.hookId }
  const { secret } = await perform(hookActions.rotate, operator, id)
  const { status } = await callSupabase(world, { ...hook, secret }, { phone: newPhone(), code: '1' })
  assert.equal(status, 200)
})

test('what cannot be sent is rejected with a sentence that Supabase shows', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const hook = await createHook(world, 'supabase')
  const { phone } = { phone: newPhone() }
  await world.block(phone)
  const rejection = async (fields: { phone: string; code: string }) => {
    const { status, body } = await callSupabase(world, hook, fields)
    assert.equal(status, 200)
    return (body as { error: { http_code: number; message: string } }).error
  }
  const blocked = await rejection({ phone, code: '1' })
  assert.deepEqual(blocked, {
    http_code: 422,
    message: 'The recipient is on this workspace’s list of blocked recipients.',
  })
  assert.match((await rejection({ phone: '123', code: '1' })).message, /^\/sms\/phone /)
  const long = '1234567890123456'
  const { message } = await rejection({ phone: newPhone(), code: long })
  assert.match(message, /^\/sms\/otp must be 1 to 15/)
  assert.ok(!message.includes(long))
  assert.equal((await callSupabase(world, hook, { phone: newPhone(), code: '2' })).status, 200)
  assert.equal((await rejection({ phone: newPhone(), code: '3' })).http_code, 429)
  for (const body of ['', '[]', 'null', '{"user":7}', '{', '"\\ud800"']) {
    const answer = await postHook(hook.url, body, supabaseHeaders(body, world.clock.now(), [hook.secret ?? '']))
    assert.equal(answer.status, 200, body)
    assert.equal((answer.body as { error: { http_code: number } }).error.http_code, 422, body)
  }
  const large = 'x'.repeat(65_537)
  assert.equal((await postHook(hook.url, large, {})).status, 413)
})

test('a used-up quota is rejected without Retry-After', async (t) => {
  const world = await startWorld(t, { otpQuota: 1 })
  const { url, secret } = await createHook(world, 'generic')
  const call = () => {
    const body = JSON.stringify({ to: newPhone(), code: newCode() })
    return postHook(url, body, { authorization: `Bearer ${secret}` })
  }
  assert.equal((await call()).status, 200)
  const overQuota = await call()
  assert.deepEqual([overQuota.status, overQuota.headers.get('retry-after')], [429, null], overQuota.text)
})

test('a hook may be called as often as an API key', async (t) => {
  const world = await startWorld(t)
  const hook = await createHook(world, 'supabase')
  const calls = Array.from({ length: 21 }, (_, index) =>
    callSupabase(world, hook, { phone: newPhone(), code: String(index) }),
  )
  const answers = await Promise.all(calls)
  const [limited, ...others] = answers.filter(({ status }) => status !== 200)
  assert.deepEqual([limited?.status, limited?.headers.get('retry-after'), others.length], [429, '1', 0])
})

test('another workspace’s hook is changed, rotated and deleted exactly like a missing one', async (t) => {
  const [mine, theirs] = [await startWorld(t), await startWorld(t)]
  const { hookId } = await createHook(theirs, 'supabase')
  const operator = { ...mine.parts, actor: COMMAND_LINE }
  for (const id of [hookId, '00000000-0000-4000-8000-000000000000']) {
    const input = { workspaceId: mine.workspaceId, hookId: id }
    const missing = { message: `There is no auth hook ${id}.` }
    await assert.rejects(perform(hookActions.update, operator, { ...input, name: 'x' }), missing)
    await assert.rejects(perform(hookActions.rotate, operator, input), missing)
    await assert.rejects(perform(hookActions.remove, operator, input), missing)
  }
  await assert.rejects(createHook({ ...mine, senderId: theirs.senderId }, 'supabase'), /No sender of this workspace/)
})
