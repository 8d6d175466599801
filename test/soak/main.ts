/**
 * `npm run soak`: two nodes on one database under load and faults, then a check that nothing was lost, doubled beyond the
 * rule of docs/operations.md, or overwritten by an older answer. `--minutes 10 --orders 30 --seed 1` are the defaults.
 */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { startEmulator } from '@doorcode/whatsapp-emulator'
import { openDb } from '../../src/db/pool.ts'
import { startEmbeddedPostgres } from '../../src/start/embedded-postgres/server.ts'
import { migrate } from '../../src/db/migrate.ts'
import { createDatabase, urlOf } from '../postgres.ts'
import { check, unfinished } from './checks.ts'
import { startCustomers } from './customers.ts'
import { startEndpoint } from './endpoint.ts'
import { startLoad } from './load.ts'
import { type SoakNode, startNode } from './node.ts'
import { type Random, seededRandom } from './random.ts'
import { startRelay } from './relay.ts'
import { openShop } from './shop.ts'

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    orders: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
  },
})
const minutes = positive('minutes', values.minutes)
const ordersPerSecond = positive('orders', values.orders)
const seed = positive('seed', values.seed)

const SETTLES_WITHIN_MS = 5 * 60_000
const QUESTIONS_WITHIN_MS = 15_000
const REPORT_EVERY_MS = 30_000
const FAULTS_SHOWN = 40
const UUID_LENGTH = 36

await using opened = new AsyncDisposableStack()
const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-soak-'))
opened.defer(() => rm(folder, { recursive: true, force: true }))
await chmod(folder, 0o711) // root's PostgreSQL runs as another user, who must pass through
const postgres = await startEmbeddedPostgres({ dataDir: folder })
opened.defer(() => postgres.stop())
const databaseUrl = urlOf(postgres.url, 'soak')
await createDatabase(postgres.url, 'soak')
const db = openDb({ url: databaseUrl, poolSize: 1 })
await migrate(db)
await db.close()

const sends = new Map<string, number>()
const emulator = await startEmulator({ speed: 0.2, magicNumbers: false, batch: { windowMs: 0 } })
opened.defer(() => emulator.close())
emulator.onMessage(({ callbackData }) => {
  const messageId = callbackData?.slice(-UUID_LENGTH) ?? ''
  sends.set(messageId, (sends.get(messageId) ?? 0) + 1)
})

const random = seededRandom(seed)
const endpoint = await startEndpoint()
opened.defer(() => endpoint.close())
const nodes: [SoakNode, SoakNode] = [await startNode('node A', databaseUrl), await startNode('node B', databaseUrl)]
for (const node of nodes) opened.defer(() => node.stop())
const nodeUrls: [string, string] = [nodes[0].url, nodes[1].url]
const relay = await startRelay(nodeUrls, random)
opened.defer(() => relay.close())
const shop = await openShop({
  databaseUrl,
  emulator,
  callbackOrigin: relay.url,
  endpointUrl: endpoint.url,
})
endpoint.trust(shop.secret)
const customers = startCustomers(emulator)
const load = startLoad({ shop, nodeUrls: nodeUrls, customers, random })
const database = new Client(databaseUrl)
await database.connect()
opened.defer(() => database.end())

console.log(`seed ${seed}: ${ordersPerSecond} orders/s for ${minutes} min on two nodes`)
const endsAt = performance.now() + minutes * 60_000
const faultCounts = { crash: 0, freeze: 0, silence: 0 }
const disturbing = disturb()
const reporting = setInterval(() => void report(), REPORT_EVERY_MS)
opened.defer(() => clearInterval(reporting))

for (let begun = 0; performance.now() < endsAt; begun += 1) {
  load.begin()
  await wait(Math.max(0, endsAt - minutes * 60_000 + ((begun + 1) * 1_000) / ordersPerSecond - performance.now()))
}
await disturbing
const unsettled = await settle()
await report()

const { summary, faults } = await check({
  database,
  nodeUrl: nodes[0].url,
  apiKeys: shop.keys,
  workspaceId: shop.workspaceId,
  accepted: load.accepted,
  customers: customers.all,
  endpoint,
  sends,
})
faults.push(...unsettled, ...load.faults, ...customers.faults)
const { unverified } = endpoint.counts()
if (unverified > 0) faults.push(`${unverified} webhooks had a wrong signature`)
console.log(
  JSON.stringify({ faults: faultCounts, requests: load.counts(), relay: relay.counts(), ...endpoint.counts() }),
)
console.log(JSON.stringify({ errorLines: Object.fromEntries(nodes.map((node) => [node.name, node.errors().length])) }))
console.log(JSON.stringify(summary))
for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(`FAULT ${fault}`)
console.log(faults.length === 0 ? 'nothing lost, doubled or overwritten' : `${faults.length} faults`)
process.exitCode = faults.length === 0 ? 0 : 1

/** One fault after the other, until the load ends. */
async function disturb(): Promise<void> {
  const plan = seededRandom(seed + 1) // a generator of its own: the plan of faults depends on the seed only
  while (performance.now() < endsAt) {
    await wait(plan.between(4_000, 10_000))
    if (performance.now() >= endsAt) return
    await strike(plan.pick(nodes), plan)
  }
}

async function strike(node: SoakNode, plan: Random): Promise<void> {
  const kind = plan.pick(['crash', 'freeze', 'silence'] as const)
  faultCounts[kind] += 1
  if (kind === 'crash') await node.crash(plan.between(0, 3_000))
  if (kind === 'freeze') await node.freeze(plan.between(2_000, 12_000))
  if (kind === 'silence') await node.silence(plan.between(1_000, 4_000))
}

/** Until nothing is left to do; then a customer who still waits for a question gets a while for it. */
async function settle(): Promise<string[]> {
  const deadline = performance.now() + SETTLES_WITHIN_MS
  let quietSince: number | undefined
  for (;;) {
    const left = await unfinished(database)
    const open = load.pending() + relay.pending() + Object.values(left).reduce((sum, count) => sum + count, 0)
    const waiting = [...customers.all.values()].filter(({ waitsFor }) => waitsFor !== 'nothing').length
    if (open === 0 && waiting === 0) return []
    quietSince = open === 0 ? (quietSince ?? performance.now()) : undefined
    if (quietSince !== undefined && performance.now() - quietSince > QUESTIONS_WITHIN_MS)
      return [`${waiting} customers never got what they waited for`]
    if (performance.now() > deadline)
      return [`not settled: ${JSON.stringify({ ...left, requests: load.pending(), relay: relay.pending(), waiting })}`]
    await wait(1_000)
  }
}

async function report(): Promise<void> {
  const left = await unfinished(database).catch(() => ({}))
  console.log(
    JSON.stringify({
      accepted: load.accepted.length,
      pending: load.pending(),
      relay: relay.pending(),
      due: left,
      faults: faultCounts,
    }),
  )
}

function positive(name: string, text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  console.error(`--${name} must be a number above 0, not ${text}`)
  process.exit(2)
}
