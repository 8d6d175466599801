import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { anotherAccount } from '../../test/world/accounts.ts'
import { spyOnDb } from '../../test/database/db-spy.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { type World, startWorld } from '../../test/world/world.ts'
import { createBodyBudget } from '../lib/http/body-budget.ts'
import { connectAccount } from '../../test/world/set-up.ts'
import { serveProviderWebhooks, createReadLimit } from './provider-webhooks.ts'
import { buildServer } from './server.ts'

/** The response to the headers of a webhook whose body never arrives. */
async function responseBeforeBody(
  world: World,
  { path, signature }: { path: string; signature?: string },
): Promise<string> {
  const socket = connect(Number(new URL(world.first.url).port), '127.0.0.1')
  let received = ''
  socket.on('data', (chunk) => {
    received += chunk.toString()
  })
  const header = signature === undefined ? '' : `X-Hub-Signature-256: ${signature}\r\n`
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\n${header}Content-Length: 3145727\r\n\r\n{`)
  const response = await waitFor('a response', () => /\r\n\r\n./.test(received) && received)
  socket.destroy() // a server that closes waits for bodies
  return response
}

const countRejections = async (world: World): Promise<Record<string, number>> => {
  const { values } = await world.parts.metrics.rejectedProviderWebhooks.get()
  return Object.fromEntries(values.map(({ labels, value }) => [String(labels.reason), value]))
}

test('a webhook for an unknown account is answered before its body is read', async (t) => {
  const world = await startWorld(t)
  for (const id of ['nope', '00000000-0000-4000-8000-000000000000']) {
    const response = await responseBeforeBody(world, { path: `/whatsapp/${id}`, signature: `sha256=${'0'.repeat(64)}` })
    assert.match(response, /^HTTP\/1\.1 404 [^]*\r\n\r\nNo WhatsApp account has this path\. /)
  }
  assert.equal((await countRejections(world)).account, 2)
})

test('a webhook without a well-formed signature is answered before its body is read', async (t) => {
  const world = await startWorld(t)
  const path = world.account.webhookPath
  for (const signature of [undefined, '', 'sha256=', `sha256=${'0'.repeat(63)}`, `sha1=${'0'.repeat(64)}`]) {
    const response = await responseBeforeBody(world, { path, ...(signature !== undefined && { signature }) })
    assert.match(response, /^HTTP\/1\.1 401 [^]*\r\n\r\nThe signature does not match the app secret /)
  }
  assert.equal((await countRejections(world)).signature, 5)
})

test('a webhook over the memory limit is answered 503 and counted', async (t) => {
  const world = await startWorld(t)
  const bodyBudget = createBodyBudget({ maxBytes: 1_000 })
  const server = buildServer(world.parts, [], {
    bodyBudget,
    rawRoutes: (scope) => serveProviderWebhooks(scope, world.parts),
  })
  t.after(() => server.close())
  const response = await server.inject({
    method: 'POST',
    url: world.account.webhookPath,
    headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    payload: Buffer.alloc(1_001),
  })
  assert.deepEqual([response.statusCode, response.headers['retry-after']], [503, '1'])
  assert.deepEqual(await countRejections(world), { memory: 1 })
})

const SECOND_MS = 1_000
/** Per account and address in one second: one regular read, and five for wrong signatures. */
const MAX_READS = 6
const EMPTY = JSON.stringify({ object: 'whatsapp_business_account', entry: [] })

const signed = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** The status that an empty webhook gets. */
async function post(url: string, secret: string, address?: string): Promise<number> {
  const headers = {
    'x-hub-signature-256': signed(EMPTY, secret),
    ...(address !== undefined && { 'x-forwarded-for': address }),
  }
  return (await fetch(url, { method: 'POST', headers, body: EMPTY })).status
}

/** Counts reads of accounts, and the seconds since `begin`. */
async function startCounting(t: TestContext) {
  let reads = 0
  let since = 0
  const world = await startWorld(t, {
    wrapDb: (db) =>
      spyOnDb(db, ({ statement, run }) => {
        if (statement.name === 'account_by_id') reads += 1
        return run()
      }),
  })
  return {
    world,
    url: `${world.first.url}${world.account.webhookPath}`,
    begin: (): void => {
      reads = 0
      since = performance.now()
    },
    counted: () => ({ reads, seconds: Math.ceil((performance.now() - since) / SECOND_MS) + 1 }),
  }
}

test('a flood of wrong signatures does not reach the database', async (t) => {
  const { world, url, begin, counted } = await startCounting(t)
  begin()
  for (let round = 0; round < 20; round += 1) {
    const statuses = await Promise.all(Array.from({ length: 20 }, () => post(url, 'wrong')))
    assert.deepEqual([...new Set(statuses)], [401])
  }
  const { reads, seconds } = counted()
  assert.ok(reads <= MAX_READS * seconds, `${reads} reads within ${seconds} s`)
  assert.equal(await post(url, world.credentials.appSecret), 200, 'a right one from the same address')
})

test('wrong signatures are warnings that name the account and the fix, once a minute and never the payload', async (t) => {
  const { world, url } = await startCounting(t)
  for (let count = 0; count < 10; count += 1) assert.equal(await post(url, 'wrong'), 401)
  const { accountId, webhookPath: path } = world.account
  const lines = world.first.logLines.filter((line) => line.includes('signature'))
  assert.equal(lines.length, 1)
  const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>
  assert.deepEqual([line['level'], line['accountId'], line['path']], [40, accountId, path])
  assert.match(String(line['msg']), /does not match the app secret .* run “doorcode account connect” again/)
  assert.ok(!world.first.logLines.some((each) => each.includes('whatsapp_business_account')))
})

test('a flood of wrong signatures for one account does not hide the warning of another', async (t) => {
  const { world, url } = await startCounting(t)
  const other = await connectAccount(world.parts, anotherAccount(world).form)
  for (let count = 0; count < 10; count += 1) await post(url, 'wrong')
  await post(`${world.first.url}${other.webhookPath}`, 'wrong')
  const warned = world.first.logLines.filter((line) => line.includes('signature') && line.includes(other.accountId))
  assert.equal(warned.length, 1)
})

test('an account id in another letter case is the same account', async (t) => {
  const { world, url, begin, counted } = await startCounting(t)
  const { accountId } = world.account
  const letters = [...accountId.matchAll(/[a-f]/g)].map(({ index }) => index)
  const variants = letters.map((index) => accountId.slice(0, index) + accountId.slice(index).toUpperCase())
  begin()
  for (const variant of variants) {
    assert.equal(await post(url.replace(accountId, variant), world.credentials.appSecret), 200)
  }
  const { reads, seconds } = counted()
  assert.ok(
    variants.length > 3 && reads <= seconds,
    `${reads} reads for ${variants.length} variants within ${seconds} s`,
  )
})

test('a new secret works immediately during a flood from other addresses', async (t) => {
  const world = await startWorld(t)
  const node = await world.node({ settings: { DOORCODE_TRUSTED_PROXIES: '127.0.0.1' } })
  const url = `${node.url}${world.account.webhookPath}`
  for (let count = 0; count < 10; count += 1) await post(url, 'wrong', '198.51.100.7')
  world.emulator.changeAccount(world.credentials.wabaId, {}).appSecret = 'another0secret'
  await connectAccount(world.parts, { ...world.credentials, appSecret: 'another0secret' })
  await post(url, 'wrong', '198.51.100.7')
  assert.equal(await post(url, 'another0secret', '203.0.113.9'), 200)
})

test('wrong signatures cause at most 5 reads a second per address, 20 in all', () => {
  let now = 0
  const mayRead = createReadLimit(() => now)
  const granted = (accountId: string, address: string): number =>
    Array.from({ length: 30 }, () => mayRead(accountId, address)).filter(Boolean).length
  assert.deepEqual([granted('a', '1'), granted('a', '2'), granted('b', '1')], [5, 5, 5])
  assert.deepEqual([granted('a', '3'), granted('a', '4'), granted('a', '5'), granted('b', '5')], [5, 5, 0, 5])
  now = 999
  assert.equal(granted('a', '1'), 0)
  now = 1_000
  assert.equal(granted('a', '1'), 5)
})
