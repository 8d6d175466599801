import assert from 'node:assert/strict'
import { type RemoteInfo, createSocket } from 'node:dgram'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { type Server, createServer } from 'node:http'
import { type TestContext, test } from 'node:test'
import { Agent, request } from 'undici'
import { listen } from '../../../test/world/listen.ts'
import { type Address, type Resolve, checkHost, isPublicAddress, publicConnector, resolveName } from './connector.ts'

const REJECTED = [
  ['loopback', '127.0.0.1', '127.255.255.254', '::1'],
  ['unspecified', '0.0.0.0', '0.1.2.3', '::'],
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', 'fc00::1', 'fd12:3456::1'],
  ['link-local and site-local', '169.254.0.1', 'fe80::1', 'fec0::1'],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.255'],
  ['metadata', '169.254.169.254', '100.100.100.200', '192.0.0.192', 'fd00:ec2::254', '168.63.129.16'],
  ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  ['benchmarking and reserved', '198.18.0.1', '198.19.255.255', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
  ['multicast', '224.0.0.1', 'ff02::1'],
  ['IPv4 in IPv6', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1', '64:ff9b::808:808', '64:ff9b:1::7f00:1'],
  ['6to4 and Teredo', '2002:7f00:1::', '2002:808:808::', '2001::1'],
  ['no address', '', 'localhost', 'example.com', '1.2.3.4.5', '[::1]', '8.8.8.8/32'],
] as const

for (const [range, ...addresses] of REJECTED) {
  test(`no ${range} address counts as public`, () => {
    for (const address of addresses) assert.equal(isPublicAddress(address), false, address)
  })
}

test('addresses of the public Internet count as public', () => {
  const mapped = '::ffff:8.8.8.8' // how a socket may report an IPv4 peer
  for (const address of ['8.8.8.8', '1.1.1.1', '93.184.216.34', '2606:4700::1111', '2a00:1450:4001::1', mapped])
    assert.equal(isPublicAddress(address), true, address)
})

const PUBLIC: Address = { address: '93.184.216.34', family: 4 }
const LOOPBACK: Address = { address: '127.0.0.1', family: 4 }

/** An internal server, which no webhook may reach, and a function that tries to. */
async function startInside(t: TestContext, options: { allowPrivate?: boolean; resolve?: Resolve } = {}) {
  let connections = 0
  const server: Server = createServer((_, response) => response.end('inside'))
  server.on('connection', () => (connections += 1))
  const { port } = new URL(`http://${await listen(t, server)}`)
  const agent = new Agent({ connect: publicConnector({ allowPrivate: false, ...options }) })
  t.after(() => agent.destroy())
  return {
    connections: () => connections,
    post: (host: string) => request(`http://${host}:${port}/`, { dispatcher: agent, method: 'POST', body: '{}' }),
  }
}

test('no notation of a loopback or private address reaches an internal server', async (t) => {
  const inside = await startInside(t)
  const hosts = [
    '127.0.0.1',
    '127.1',
    '0',
    '0.0.0.0',
    '0x7f.1',
    '0x7f000001',
    '0177.0.0.1',
    '2130706433',
    '127.0.0.1.',
    '127。0。0。1',
    '①②⑦.0.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:7f00:0001]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '169.254.169.254',
  ]
  for (const host of hosts) await assert.rejects(inside.post(host), { name: 'AddressRejectedError' }, host)
  assert.equal(inside.connections(), 0)
})

test('a name is rejected if any of its addresses is not public', async (t) => {
  const inside = await startInside(t, { resolve: async () => [PUBLIC, LOOPBACK] })
  await assert.rejects(inside.post('mixed.example'), { name: 'AddressRejectedError', message: /127\.0\.0\.1/ })
  assert.equal(inside.connections(), 0)
})

test('a name that turned private after its registration is rejected at the connection', async (t) => {
  const answers = [[PUBLIC], [LOOPBACK]]
  const resolve: Resolve = async () => answers.shift() ?? [LOOPBACK]
  await checkHost('rebinding.example', resolve)
  const inside = await startInside(t, { resolve })
  await assert.rejects(inside.post('rebinding.example'), { name: 'AddressRejectedError' })
  assert.equal(inside.connections(), 0)
})

test('a name without addresses fails and connects to nothing', async (t) => {
  const inside = await startInside(t, { resolve: async () => [] })
  await assert.rejects(inside.post('empty.example'), /no address/)
  assert.equal(inside.connections(), 0)
})

test('a name whose server answers late for IPv6 is resolved to its IPv4 addresses', async (t) => {
  const server = createSocket('udp4')
  t.after(() => server.close())
  let ipv6Queries = 0
  server.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const endOfName = query.indexOf(0, 12) + 1
    const isIPv4 = query.readUInt16BE(endOfName) === 1
    if (!isIPv4 && (ipv6Queries += 1) === 1) return // it answers when it is asked again
    const question = query.subarray(12, endOfName + 4)
    const header = [...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0]
    const data = isIPv4 ? PUBLIC.address.split('.').map(Number) : [0x26, 0x06, 0x47, ...Array<number>(13).fill(0)]
    const answer = [0xc0, 0x0c, 0, isIPv4 ? 1 : 28, 0, 1, 0, 0, 0, 60, 0, data.length, ...data]
    server.send(Buffer.from([...header, ...question, ...answer]), port, address)
  })
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  const resolver = new Resolver({ timeout: 5_000, tries: 2 })
  resolver.setServers([`127.0.0.1:${server.address().port}`])
  assert.deepEqual(await resolveName('shop.example', resolver), [PUBLIC])
})

test('private endpoints are reached where they are allowed', async (t) => {
  const inside = await startInside(t, { allowPrivate: true })
  const answer = await inside.post('127.0.0.1')
  assert.equal(await answer.body.text(), 'inside')
  assert.equal(await (await inside.post('localhost')).body.text(), 'inside')
})

test('private hosts are rejected at registration too', async () => {
  await checkHost('fine.example', async () => [PUBLIC])
  await assert.rejects(
    checkHost('mixed.example', async () => [PUBLIC, LOOPBACK]),
    { name: 'AddressRejectedError' },
  )
  for (const host of ['127.0.0.1', '[::1]', '10.0.0.1'])
    await assert.rejects(checkHost(host), { name: 'AddressRejectedError' })
})
