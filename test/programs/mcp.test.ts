import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type TestContext, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { failAuditEntries } from '../faults/audit-faults.ts'
import { compileCacheEnv, runProgram } from './program.ts'
import { environmentOf } from '../world/command-line.ts'
import { startSandbox } from '../world/sandbox.ts'
import { waitFor } from '../world/wait-for.ts'
import { type World, newCode, startWorld } from '../world/world.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const MISSING_ID = '01994f60-7a1c-7cc3-98c5-0d2a3f1b6e70'
const READING = ['explain', 'next_action', 'search_messages', 'search_confirmations', 'health', 'settings']
const WRITING = ['send_test_code', 'resend_message', 'resend_webhook']

type Result = Record<string, unknown>

const agentEnvironment = (world: World): Record<string, string> => ({
  ...compileCacheEnv(),
  ...environmentOf(world),
  DOORCODE_PUBLIC_URL: world.first.url,
})

const wordsFor = ({ workspaceId }: World, ...more: string[]): string[] => ['mcp', '--workspace', workspaceId, ...more]

/** `doorcode mcp` in a process of its own, and the SDK's client that started it, as an agent's host does. */
async function startAgent(t: TestContext, world: World, ...options: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: ['bin/doorcode.js', ...wordsFor(world, ...options)],
    cwd: ROOT,
    env: agentEnvironment(world),
    stderr: 'pipe',
  })
  const client = new Client({ name: 'test', version: '1' })
  const answers: string[] = []
  const errors: Error[] = []
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other way
  client.onerror = (error) => void errors.push(error)
  transport.stderr?.on('data', (chunk: Buffer) => answers.push(chunk.toString()))
  await client.connect(transport)
  t.after(() => client.close())
  const send = async (name: string, input: Result = {}) => {
    const answer = await client.callTool({ name, arguments: input })
    answers.push(JSON.stringify(answer))
    return answer as { isError?: boolean; structuredContent: Result; content: { type: string; text: string }[] }
  }
  return {
    client,
    /** Everything that the agent read, and the program's stderr. */
    answers,
    /** What the client could not read: anything on stdout but the protocol. */
    errors,
    async call(name: string, input: Result = {}): Promise<Result> {
      const { isError, structuredContent, content } = await send(name, input)
      assert.ok(isError !== true, content[0]?.text ?? '')
      assert.deepEqual(JSON.parse(content[0]?.text ?? ''), structuredContent)
      return structuredContent
    },
    /** A call that must be answered with a problem. */
    async fail(name: string, input: Result = {}): Promise<string> {
      const { isError, content } = await send(name, input)
      assert.equal(isError, true, `${name} ${JSON.stringify(input)}: ${content[0]?.text}`)
      return content[0]?.text ?? ''
    },
  }
}

const rowsOf = (result: Result): string[] => (result['rows'] as { id: string }[]).map(({ id }) => id)

test('an agent finds a failed message by its number, and reads what happened and who must act', async (t) => {
  const world = await startWorld(t)
  const failed = await world.sendOtp({ reference: 'login-1' })
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  const agent = await startAgent(t, world)
  const { tools } = await agent.client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    READING,
  )
  for (const { description, inputSchema, annotations } of tools) {
    assert.ok(description && inputSchema.type === 'object')
    assert.equal(annotations?.readOnlyHint, true)
  }
  for (const text of [failed.to, failed.to.slice(-7), 'login-1', failed.messageId])
    assert.deepEqual(rowsOf(await agent.call('search_messages', { text })), [failed.messageId], text)
  const explained = await agent.call('explain', { id: failed.messageId })
  assert.equal(explained['status'], 'failed')
  assert.equal(explained['failureCode'], 'RECIPIENT_UNREACHABLE')
  assert.match(JSON.stringify(explained['timeline']), /accepted for .*WhatsApp reports a failure/)
  const next = { who: 'client', sentence: 'Check the number with the recipient, or use another channel.' }
  assert.deepEqual(explained['next'], next)
  const action = await agent.call('next_action', { id: failed.messageId.toUpperCase() })
  assert.deepEqual([action['next'], action['status']], [next, 'failed'])
  assert.match(agent.client.getInstructions() ?? '', /The tools change nothing/)
  assert.deepEqual(agent.errors, [])
})

test('searches filter, and page through every row once', async (t) => {
  const world = await startWorld(t, { cod: {} })
  const sent: string[] = []
  for (let n = 0; n < 5; n += 1) sent.unshift((await world.sendOtp()).messageId)
  const { confirmationId } = await world.createConfirmation()
  const agent = await startAgent(t, world)
  const seen: string[] = []
  for (let cursor: unknown = null, pages = 0; pages < 4; pages += 1) {
    const page = await agent.call('search_messages', { kind: 'otp', limit: 2, cursor })
    seen.push(...rowsOf(page))
    cursor = page['nextCursor']
    if (cursor === null) break
  }
  assert.deepEqual(seen, sent)
  assert.deepEqual(rowsOf(await agent.call('search_confirmations')), [confirmationId])
  assert.deepEqual(rowsOf(await agent.call('search_confirmations', { status: 'failed' })), [])
  assert.deepEqual(rowsOf(await agent.call('search_messages', { from: '2020-01-01', to: '2020-01-02' })), [])
})

test('pages of a sandbox skip no row whose time is not in the order of its id', async (t) => {
  const world = await startSandbox(t)
  const sent: string[] = []
  for (let n = 0; n < 5; n += 1) sent.unshift((await world.sendOtp()).messageId)
  for (const [index, id] of sent.entries())
    await world.query(`update messages set created_at = now() - $2 * interval '1 hour' where id = $1`, [id, 5 - index])
  const agent = await startAgent(t, world)
  const pages: string[][] = []
  for (let cursor: unknown = null; pages.length < 4; ) {
    const page = await agent.call('search_messages', { limit: 2, cursor })
    pages.push(rowsOf(page))
    cursor = page['nextCursor']
    if (cursor === null) break
  }
  const [newest, second, third, fourth, oldest] = sent
  assert.deepEqual(pages, [[second, newest], [fourth, third], [oldest]])
})

test('health names the readiness of the server, and the problems of this workspace and of no other', async (t) => {
  const [world, other] = [await startWorld(t), await startWorld(t)]
  for (const each of [world, other])
    await each.query('update senders set paused_at = now() where workspace_id = $1', [each.workspaceId])
  await other.query(`update workspaces set name = 'Secret shop' where id = $1`, [other.workspaceId])
  const agent = await startAgent(t, world)
  const { readiness, findings } = await agent.call('health')
  assert.deepEqual(readiness, { url: `${world.first.url}/readyz`, ready: true, status: 'ready', failing: [] })
  const setup = (findings as { check: string; code: string; fix: string; problem: string }[]).filter(
    ({ check }) => check === 'setup',
  )
  assert.deepEqual(
    setup.map(({ code }) => code).filter((code) => code === 'sender_paused'),
    world.account.senders.map(() => 'sender_paused'),
  )
  assert.match(setup[0]?.fix ?? '', /\w/)
  assert.ok(!JSON.stringify(findings).includes('Secret shop'))
  await world.first.stop()
  const later = (await agent.call('health'))['readiness'] as Result
  assert.equal(later['ready'], false)
  assert.match(String(later['status']), /no response/)
})

test('health names the endpoints and erasures of this workspace that no setup check examines, and no other’s', async (t) => {
  const settings = { DOORCODE_KEEP_CONTENT_DAYS: '90' }
  const [world, other] = [await startWorld(t, { settings }), await startWorld(t, { settings })]
  for (const each of [world, other]) {
    const { endpointId } = await each.receiver()
    await each.whatsapp.reports(await each.sendOtp(), ['delivered'])
    await each.query(`update webhook_endpoints set status = 'paused' where id = $1`, [endpointId])
    const held = `update webhook_deliveries set status = 'held', created_at = now() - interval '84 days' where endpoint_id = $1`
    await each.query(held, [endpointId])
    const unfinished = `insert into unfinished_erasures (id, workspace_id, begun_at, pseudonym, person, person_hash)
       values (gen_random_uuid(), $1, now() - interval '1 day', 'erased:1', 'sealed', 'hashed')`
    await each.query(unfinished, [each.workspaceId])
  }
  await other.query(`update workspaces set name = 'Secret shop' where id = $1`, [other.workspaceId])
  const { findings } = await (await startAgent(t, world)).call('health')
  const codes = (findings as { code: string }[]).map(({ code }) => code)
  for (const expected of ['held_events_expire', 'erasure_unfinished'])
    assert.equal(codes.filter((code) => code === expected).length, 1, expected)
  assert.ok(!JSON.stringify(findings).includes('Secret shop'))
})

test('settings name what the workspace has, without keys, secrets and the paths of webhooks', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  const key = await world.freshKey()
  const agent = await startAgent(t, world)
  const result = await agent.call('settings', { language: 'en_US' })
  const { workspace, senders, endpoints, keys, quotas, cod } = result as {
    workspace: Result
    senders: { items: Result[] }
    endpoints: { items: Result[] }
    keys: { items: Result[] }
    quotas: Result[]
    cod: Result
  }
  assert.deepEqual([workspace['workspaceId'], workspace['sandbox']], [world.workspaceId, true])
  assert.ok(senders.items.some(({ senderId }) => senderId === world.senderId))
  assert.deepEqual(
    endpoints.items.map(({ endpointId, host }) => [endpointId, host]),
    [[receiver.endpointId, new URL(receiver.url).host]],
  )
  assert.ok(keys.items.some(({ publicId }) => key.includes(String(publicId))))
  assert.equal(quotas.length, 3)
  assert.ok(Array.isArray(cod['languages']))
  const text = JSON.stringify(result)
  const { accessToken, appSecret, verifyToken } = world.credentials
  for (const secret of [
    key,
    key.split('_').slice(2).join('_'),
    receiver.secret,
    accessToken,
    appSecret,
    verifyToken,
    receiver.url,
  ])
    assert.ok(!text.includes(secret), 'a secret is in the settings')
})

test('another workspace’s id is answered exactly like a missing one by every tool', async (t) => {
  const [mine, theirs] = [await startSandbox(t), await startSandbox(t)]
  const receiver = await theirs.receiver()
  const failed = await theirs.sendOtp()
  await theirs.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  const { confirmationId } = await theirs.createConfirmation()
  const [{ eventId } = { eventId: '' }] = await theirs.query<{ eventId: string }>(
    'select id as "eventId" from events where workspace_id = $1',
    [theirs.workspaceId],
  )
  const agent = await startAgent(t, mine, '--allow-writes')
  const own = await agent.call('send_test_code', { to: '+34600111222' })
  const template = (own['would'] as { template: object }).template
  const calls: [string, (id: string) => Result, string][] = [
    ...[failed.messageId, confirmationId, eventId].flatMap((id): [string, (id: string) => Result, string][] => [
      ['explain', (each) => ({ id: each }), id],
      ['next_action', (each) => ({ id: each }), id],
    ]),
    ['resend_message', (messageId) => ({ messageId }), failed.messageId],
    ['resend_webhook', (endpointId) => ({ endpointId, eventId }), receiver.endpointId],
    ['send_test_code', (senderId) => ({ to: '+34600111222', senderId, template }), theirs.senderId],
  ]
  for (const [name, input, id] of calls) {
    const [foreign, missing] = [await agent.fail(name, input(id)), await agent.fail(name, input(MISSING_ID))]
    assert.equal(foreign.replaceAll(id, MISSING_ID), missing, name)
  }
  for (const name of ['search_messages', 'search_confirmations'])
    for (const text of [failed.messageId, confirmationId, failed.to])
      assert.deepEqual(rowsOf(await agent.call(name, { text })), [])
})

test('without --allow-writes no tool sends, and with it only in a sandbox', async (t) => {
  const world = await startWorld(t)
  const agent = await startAgent(t, world)
  for (const name of WRITING)
    assert.match(await agent.fail(name, { to: '+34600111222' }), /no such tool.*--allow-writes/)
  assert.deepEqual(rowsOf(await agent.call('search_messages')), [])
  const started = runProgram(t, wordsFor(world, '--allow-writes'), agentEnvironment(world))
  assert.deepEqual(await started.ended, [1, null])
  assert.match(started.stderr(), /This workspace is live: an agent can send only in a sandbox/)
  assert.equal(started.stdout(), '')
})

test('a dry run changes nothing, and its token sends the test code once', async (t) => {
  const world = await startSandbox(t)
  const agent = await startAgent(t, world, '--allow-writes')
  const { tools } = await agent.client.listTools()
  assert.deepEqual(
    tools.map(({ name }) => name),
    [...READING, ...WRITING],
  )
  const input = { to: '+34 600 111 222', reference: 'from an agent' }
  const counted = async () =>
    world.query(
      `select (select count(*) from messages where workspace_id = $1) as messages,
         (select count(*) from audit_log where workspace_id = $1) as entries,
         (select coalesce(sum(used), 0) from quota_usage where workspace_id = $1) as units`,
      [world.workspaceId],
    )
  const before = await counted()
  const dryRun = await agent.call('send_test_code', input)
  assert.deepEqual(await counted(), before)
  const { token, would } = dryRun as { token: string; would: Result }
  assert.equal(would['to'], '+34600111222')
  assert.match(await agent.fail('send_test_code', { ...input, dryRun: false }), /needs the token of a dry run/)
  assert.match(
    await agent.fail('resend_message', { messageId: MISSING_ID, dryRun: false, token: 'guessed' }),
    /needs the token of a dry run/,
  )
  const unaudited = (await agent.call('send_test_code', { to: '+34600111224' }))['token']
  const other = (await agent.call('send_test_code', { to: '+34600111223' }))['token']
  assert.match(await agent.fail('send_test_code', { ...input, dryRun: false, token: other }), /another input/)
  const failing = await failAuditEntries(world, `new.who = 'agent'`)
  assert.match(
    await agent.fail('send_test_code', { to: '+34600111224', dryRun: false, token: unaudited }),
    /^INTERNAL_ERROR/,
  )
  await failing.again()
  assert.deepEqual(await counted(), before, 'nothing is sent without its audit entry')
  const sent = await agent.call('send_test_code', { ...input, dryRun: false, token })
  assert.deepEqual(sent['did'], would)
  assert.match(await agent.fail('send_test_code', { ...input, dryRun: false, token }), /works once/)
  await world.settled()
  const [message] = (await agent.call('search_messages', { text: 'from an agent' }))['rows'] as Result[]
  assert.equal(message?.['id'], sent['messageId'])
  const entries = await world.query('select who, action, target, after from audit_log where workspace_id = $1', [
    world.workspaceId,
  ])
  const { to: recipient, template, reference } = would
  const entry = {
    who: 'agent',
    action: 'otp.sent',
    target: sent['messageId'],
    after: { recipient, template, reference },
  }
  assert.deepEqual(entries, [entry])
})

test('a failed code and a failed webhook are sent again, and nothing else is', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  const failed = await world.sendOtp({ reference: 'login-1' })
  await world.whatsapp.reports(failed, [{ status: 'failed', errors: [131026] }])
  const agent = await startAgent(t, world, '--allow-writes')
  const twice = async (name: string, input: Result): Promise<Result> => {
    const { token } = await agent.call(name, input)
    return agent.call(name, { ...input, dryRun: false, token })
  }
  const resent = await twice('resend_message', { messageId: failed.messageId })
  assert.deepEqual((resent['did'] as Result)['to'], failed.to)
  await world.settled()
  assert.match(await agent.fail('resend_message', { messageId: resent['messageId'] }), /Only a failed message/)
  const verification = await world.startVerification()
  assert.match(await agent.fail('resend_message', { messageId: verification.verificationId }), /verification/)

  const explained = await agent.call('explain', { id: failed.messageId })
  const [webhook] = explained['webhooks'] as { eventId: string; endpointId: string; host: string }[]
  assert.ok(webhook && webhook.host === new URL(receiver.url).host)
  assert.ok(!JSON.stringify(explained).includes(receiver.url))
  const { eventId, endpointId } = webhook
  const deliveriesOf = () => receiver.received.filter(({ headers }) => headers['webhook-id'] === eventId).length
  assert.equal(deliveriesOf(), 1)
  const { token } = await agent.call('resend_webhook', { eventId, endpointId })
  await world.settled()
  assert.equal(deliveriesOf(), 1)
  await agent.call('resend_webhook', { eventId, endpointId, dryRun: false, token })
  await world.settled()
  assert.equal(deliveriesOf(), 2)
  const actions = await world.query('select who, action from audit_log where workspace_id = $1 order by id', [
    world.workspaceId,
  ])
  assert.deepEqual(actions, [
    { who: 'agent', action: 'otp.sent' },
    { who: 'agent', action: 'endpoint.resent_one' },
  ])
})

test('input that is not valid is answered with its place and never with its value', async (t) => {
  const world = await startSandbox(t)
  const agent = await startAgent(t, world, '--allow-writes')
  const code = newCode()
  const inputs: [string, Result][] = [
    ['explain', {}],
    ['explain', { id: 7 }],
    ['explain', { id: code }],
    ['explain', { id: MISSING_ID, more: code }],
    ['explain', { id: 'x'.repeat(200) }],
    ['next_action', { id: `${code}\u0000` }],
    ['search_messages', { limit: 51 }],
    ['search_messages', { status: code }],
    ['search_messages', { cursor: code }],
    ['search_messages', { from: code }],
    ['search_messages', { text: 'x'.repeat(1_000) }],
    ['search_confirmations', { refusal: [code] }],
    ['health', { outside: code }],
    ['settings', { language: 7 }],
    ['send_test_code', { to: code }],
    ['send_test_code', { to: '+34600111222', senderId: code }],
    ['send_test_code', { to: '+34600111222', senderId: world.senderId }],
    ['send_test_code', { to: '+34600111222', code }],
    ['send_test_code', { to: '+34600111222', template: { name: 'missing', language: 'en' }, senderId: world.senderId }],
    ['resend_webhook', { eventId: code, endpointId: MISSING_ID }],
    ['no_such_tool', { code }],
  ]
  for (const [name, input] of inputs) {
    const problem = await agent.fail(name, input)
    assert.ok(!problem.includes(code), problem)
    assert.match(problem, /^[A-Z_]+: .{20}/)
  }
  await assert.rejects(agent.client.request({ method: 'tools/unknown' }, {} as never))
  assert.ok(await agent.call('settings'))
})

/** Writes raw lines on standard input, which the SDK's client does not send. */
function startRaw(t: TestContext, world: World, lines: readonly string[]) {
  const child = spawn(process.execPath, ['bin/doorcode.js', ...wordsFor(world)], {
    cwd: ROOT,
    env: agentEnvironment(world),
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const ended = once(child, 'close') as Promise<[number | null]>
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()))
  for (const line of lines) child.stdin.write(`${line}\n`)
  return { child, ended, written }
}

test('a line that is not of the protocol ends nothing, and stdout has only the protocol', async (t) => {
  const world = await startWorld(t)
  const code = newCode()
  const { child, ended, written } = startRaw(t, world, [
    code,
    '[]',
    `{"jsonrpc":"2.0","id":1}`,
    `{"code":"${code}"`,
    '{"jsonrpc":"2.0","id":2,"method":"ping"}',
  ])
  await waitFor('the ping to be answered', async () => written.stdout.includes('"id":2'))
  child.stdin.end()
  assert.deepEqual((await ended)[0], 0)
  for (const line of written.stdout.trim().split('\n')) assert.equal((JSON.parse(line) as Result)['jsonrpc'], '2.0')
  assert.ok(!(written.stdout + written.stderr).includes(code))
  assert.match(written.stderr, /not of the Model Context Protocol/)
  assert.match(written.stderr, /The agent ended after 0 calls/)
})

test('a message that is too large ends the command with the limit and exit code 1', async (t) => {
  const world = await startWorld(t)
  const { child, ended, written } = startRaw(t, world, ['{"jsonrpc":"2.0","id":1,"method":"ping"}'])
  await waitFor('the ping to be answered', async () => written.stdout.includes('"id":1'))
  child.stdin.on('error', () => {}) // the command ends before it has read everything
  child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping', params: { text: 'x'.repeat(300_000) } }))
  assert.deepEqual((await ended)[0], 1)
  assert.match(written.stderr, /more than 256 KiB/)
})

test('an agent with too many calls at once is told to wait for earlier results', async (t) => {
  const world = await startWorld(t)
  const { client } = await startAgent(t, world)
  const answers = await Promise.all(Array.from({ length: 300 }, () => client.callTool({ name: 'settings' })))
  const problems = new Set(answers.filter(({ isError }) => isError).map(({ content }) => JSON.stringify(content)))
  assert.match(
    [...problems].join(),
    /^\[{[^}]*"TOO_MANY_CALLS: Too many calls wait already\. Wait for the results [^}]*}\]$/,
  )
})

test('a call that still runs when standard input ends gets its answer', async (t) => {
  const world = await startWorld(t)
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'settings', arguments: {} } }
  const { child, ended, written } = startRaw(t, world, [JSON.stringify(call)])
  child.stdin.end()
  assert.deepEqual((await ended)[0], 0)
  assert.match(written.stderr, /The agent ended after 1 call/)
  const { id, result } = JSON.parse(written.stdout) as { id: number; result: { structuredContent: Result } }
  assert.deepEqual([id, (result.structuredContent['workspace'] as Result)['workspaceId']], [1, world.workspaceId])
})

test('a code appears in nothing that an agent reads', async (t) => {
  const world = await startSandbox(t)
  const receiver = await world.receiver()
  const codes = Array.from({ length: 3 }, newCode)
  const sent = []
  for (const code of codes) sent.push(await world.sendOtp({ code }))
  const [one, other] = sent
  assert.ok(one && other)
  await world.whatsapp.reports(one, [{ status: 'failed', errors: [{ code: 131026, title: `Code ${one.code}` }] }])
  await world.whatsapp.reports(other, ['sent', 'delivered'])
  const agent = await startAgent(t, world, '--allow-writes')
  const { token } = await agent.call('send_test_code', { to: '+34600111222' })
  const { messageId } = await agent.call('send_test_code', { to: '+34600111222', dryRun: false, token })
  await world.settled()
  const made = await world.codeOn({ messageId: String(messageId) })
  for (const id of [...sent.map((each) => each.messageId), String(messageId)]) {
    await agent.call('explain', { id })
    await agent.call('next_action', { id })
  }
  for (const name of ['search_messages', 'search_confirmations', 'health', 'settings']) await agent.call(name)
  const read = agent.answers.join('\n')
  for (const code of [...codes, made]) assert.ok(!read.includes(code), 'an agent read a code')
  for (const secret of [receiver.secret, world.credentials.accessToken]) assert.ok(!read.includes(secret))
})

test('a workspace that does not exist is named', async (t) => {
  const world = await startWorld(t)
  const { ended, stderr } = runProgram(t, ['mcp', '--workspace', MISSING_ID], agentEnvironment(world))
  assert.deepEqual(await ended, [1, null])
  assert.match(stderr(), new RegExp(`No workspace has the id ${MISSING_ID}`))
})

test('docs/agents.md names every tool, and its settings start the command', async () => {
  const text = await readFile(path.join(ROOT, 'docs/agents.md'), 'utf8')
  const named = Array.from(text.matchAll(/^\| `(\w+)` \|/gm), ([, name]) => name)
  assert.deepEqual(named, [...READING, ...WRITING])
  const settings = Array.from(text.matchAll(/```json\n([^]*?)```/g), ([, json = '']) => JSON.parse(json) as unknown)
  assert.equal(settings.length, 2)
  for (const each of settings) {
    const { args } = (each as { mcpServers: { doorcode: { args: string[] } } }).mcpServers.doorcode
    assert.deepEqual(args.slice(-3, -1), ['mcp', '--workspace'])
  }
})
