/**
 * `npm run soak`: two nodes on one database under load and faults, then a check that nothing was lost, doubled beyond the
 * rule of docs/operations.md, overwritten by an older answer, or removed because the database's clock was wrong. `--minutes 10 --orders 30 --seed 1` are the defaults;
 * `--faults crash,jump` chooses kinds of faults.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type SoakNode, startNode } from './node.ts'
import { type Random, seededRandom } from './random.ts'
import { conclude, openScene, positive } from './scene.ts'

const FAULTS = ['crash', 'freeze', 'silence', 'jump'] as const
type Fault = (typeof FAULTS)[number]

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    orders: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    faults: { type: 'string', default: FAULTS.join(',') },
  },
})
const minutes = positive('minutes', values.minutes)
const ordersPerSecond = positive('orders', values.orders)
const seed = positive('seed', values.seed)
const kinds = chooseFaults(values.faults)

const REPORT_EVERY_MS = 30_000
/** Shorter than a code may wait to be sent, so that no code expires. */
const MAX_JUMP_SECONDS = 90
/** Longer than any class of data is kept by default, in days. */
const LEAP_SECONDS = 800 * 24 * 3_600
/** In which libfaketime reads the new offset. */
const LEAP_BEGINS_MS = 2_000
/** Removal begins when a worker starts, and takes seconds. */
const LEAP_MS = 40_000
/** In which a new order arrives, and its customer answers. */
const ORDER_WITHIN_MS = 60_000
/** In which another worker takes over from a dead node. */
const NODES_WITHIN_MS = 15_000

await using opened = new AsyncDisposableStack()
const start = async (name: string, databaseUrl: string): Promise<SoakNode> =>
  opened.adopt(await startNode(name, databaseUrl), (node) => node.stop())
let nodes: [SoakNode, SoakNode] | undefined
const scene = await openScene(opened, {
  random: seededRandom(seed),
  maxJumpSeconds: MAX_JUMP_SECONDS,
  serve: async (databaseUrl) => {
    nodes = [await start('node A', databaseUrl), await start('node B', databaseUrl)]
    return [nodes[0].url, nodes[1].url]
  },
})

console.log(`seed ${seed}: ${ordersPerSecond} orders/s for ${minutes} min on two nodes`)
const endsAt = performance.now() + minutes * 60_000
const faultCounts = { crash: 0, freeze: 0, silence: 0, jump: 0 }
const disturbing = disturb()
const reporting = setInterval(() => void report(), REPORT_EVERY_MS)
opened.defer(() => clearInterval(reporting))
await scene.sendWhile(AbortSignal.timeout(minutes * 60_000), ordersPerSecond)
await disturbing
const { summary, faults } = await scene.check()
faults.push(...(await leap()))
await report()
console.log(
  JSON.stringify({
    faults: faultCounts,
    requests: scene.load.counts(),
    relay: scene.relay.counts(),
    ...scene.endpoint.counts(),
  }),
)
console.log(
  JSON.stringify({ errorLines: Object.fromEntries((nodes ?? []).map((node) => [node.name, node.errors.length])) }),
)
console.log(JSON.stringify(summary))
process.exitCode = conclude(faults)

function chooseFaults(text: string): [Fault, ...Fault[]] {
  const [first, ...rest] = FAULTS.filter((kind) => text.split(',').includes(kind))
  if (first) return [first, ...rest]
  console.error(`--faults must name some of ${FAULTS.join(',')}`)
  process.exit(2)
}

/** Causes one fault after the other, until the load ends. */
async function disturb(): Promise<void> {
  const plan = seededRandom(seed + 1) // a separate generator: the plan of faults depends only on the seed
  while (performance.now() < endsAt) {
    await wait(plan.between(4_000, 10_000))
    if (performance.now() >= endsAt) return
    if (nodes) await strike(plan.pick(nodes), plan)
  }
}

async function strike(node: SoakNode, plan: Random): Promise<void> {
  const kind = plan.pick(kinds)
  faultCounts[kind] += 1
  if (kind === 'crash') await node.crash(plan.between(0, 3_000))
  if (kind === 'freeze') await node.freeze(plan.between(2_000, 12_000))
  if (kind === 'silence') await node.silence(plan.between(1_000, 4_000))
  if (kind === 'jump') await jump(plan)
}

/** The clock of the database jumps, ahead or back, and returns. The node that restarts meanwhile measures the wrong time. */
async function jump(plan: Random): Promise<void> {
  await scene.clock?.setOffset(plan.pick([-1, 1]) * plan.between(10, MAX_JUMP_SECONDS))
  await wait(plan.between(2_000, 12_000))
  const node = nodes && plan.pick(nodes)
  if (node) await node.crash(0)
  await wait(plan.between(2_000, 12_000))
  await scene.clock?.setOffset(0)
}

/**
 * The clock of the database jumps so far ahead that all rows look too old, and both nodes start with this time and die with it.
 * Returns what was removed, and what the corrected clock does not undo: nodes that seem alive, or an order that does not arrive.
 */
async function leap(): Promise<string[]> {
  const before = await scene.countKept()
  await scene.clock?.setOffset(LEAP_SECONDS)
  await Promise.all((nodes ?? []).map((node) => node.crash(LEAP_BEGINS_MS)))
  await wait(LEAP_MS)
  const after = await scene.countKept()
  await scene.clock?.setOffset(0)
  await Promise.all((nodes ?? []).map((node) => node.crash(LEAP_BEGINS_MS)))
  void scene.load.begin('order')
  const late = await scene.serveAll(ORDER_WITHIN_MS)
  const running = nodes?.length ?? 0
  const rows = await scene.countNodes(running, NODES_WITHIN_MS)
  return [
    ...Object.entries(before).flatMap(([name, count]) => {
      const left = after[name] ?? 0
      return left < count ? [`${count - left} of ${count} ${name} were removed while the clock was ahead`] : []
    }),
    ...late.map((fault) => `after the clock was corrected: ${fault}`),
    ...(rows === running ? [] : [`${rows} nodes are left after the clock was corrected, and ${running} run`]),
  ]
}

async function report(): Promise<void> {
  const left = await scene.left().catch(() => ({}))
  console.log(
    JSON.stringify({
      accepted: scene.load.accepted.length,
      pending: scene.load.pending(),
      relay: scene.relay.pending(),
      due: left,
      faults: faultCounts,
    }),
  )
}
