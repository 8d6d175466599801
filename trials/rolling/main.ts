/**
 * `npm run rolling`: replaces two nodes behind a load balancer one after the other under load. First it restarts nodes of this
 * release; then, on a database of the previous release, it replaces nodes of that release with nodes of this one. No request
 * may fail, and nothing may be lost or doubled. `--rounds 3 --orders 20 --seed 1 --drain 2` are the defaults; `--drain 0` is the
 * control, which must fail. `--from <commit>` names another previous release.
 */
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type ServeProcess, startServe } from '../../test/programs/processes.ts'
import { freePort } from '../../test/programs/program.ts'
import { seededRandom } from '../soak/random.ts'
import { type Scene, conclude, openScene, positive } from '../soak/scene.ts'
import type { openShop } from '../soak/shop.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { findPreviousRelease, unpackRelease } from './release.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    orders: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    drain: { type: 'string', default: '2' }, // seconds: more than two checks of the load balancer take
    from: { type: 'string' },
  },
})
const rounds = positive('rounds', values.rounds)
const ordersPerSecond = positive('orders', values.orders)
const seed = positive('seed', values.seed)

const IN_USE_WITHIN_MS = 10_000
/** How long the load runs before the first replacement, between two, and after the last. */
const BETWEEN_MS = 3_000

type Node = { name: string; url: string; root: string | undefined; replaceBy(root: string | undefined): Promise<void> }

async function startNode(
  name: string,
  { databaseUrl, balancer, opened }: { databaseUrl: string; balancer: Balancer; opened: AsyncDisposableStack },
  root: string | undefined,
): Promise<Node> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const settings = {
    DOORCODE_DRAIN_SECONDS: values.drain,
    DOORCODE_PORT: String(port),
    DOORCODE_ROLES: 'api,worker',
  }
  const launch = async (from: string | undefined): Promise<ServeProcess> => {
    const server = await startServe(databaseUrl, settings, { root: from })
    await waitFor(`the balancer to use ${name}`, () => balancer.isInUse(url), IN_USE_WITHIN_MS)
    return server
  }
  balancer.add(url)
  let server = await launch(root)
  opened.defer(() => server.stop())
  const node: Node = {
    name,
    url,
    root,
    async replaceBy(next) {
      await server.stop()
      server = await launch(next)
      node.root = next
    },
  }
  return node
}

type Rolling = { title: string; before?: string; replacements: number }

/** Starts two nodes of `before`, then replaces both with nodes of this release, `replacements` times. */
async function roll({ title, before, replacements }: Rolling): Promise<string[]> {
  await using opened = new AsyncDisposableStack()
  const balancer = opened.adopt(await startBalancer(), (each) => each.close())
  const nodes: Node[] = []
  const shop = before === undefined ? {} : { open: await shopOf(before) }
  const scene = await openScene(opened, {
    random: seededRandom(seed),
    ...shop,
    serve: async (databaseUrl) => {
      for (const name of ['node A', 'node B'])
        nodes.push(await startNode(name, { databaseUrl, balancer, opened }, before))
      return [balancer.url]
    },
  })
  const ending = new AbortController()
  const sending = scene.sendWhile(ending.signal, ordersPerSecond)
  for (let round = 0; round < replacements; round += 1)
    for (const node of nodes) {
      await wait(BETWEEN_MS)
      await node.replaceBy(undefined)
    }
  await wait(BETWEEN_MS)
  ending.abort()
  await sending
  const { summary, faults } = await scene.check()
  print(title, scene, balancer, { replaced: replacements * nodes.length, ...summary })
  const { failed } = scene.load.counts()
  const { retries } = scene.relay.counts()
  if (failed > 0) faults.push(`${failed} requests failed`)
  if (retries > 0) faults.push(`${retries} webhooks of WhatsApp failed`)
  return [...faults, ...balancer.failures].map((fault) => `${title}: ${fault}`)
}

/** The previous release sets up the shop with its own code: this release may need tables that do not exist yet. */
async function shopOf(root: string): Promise<typeof openShop> {
  const module = (await import(path.join(root, 'trials/soak/shop.ts'))) as { openShop: typeof openShop }
  return module.openShop
}

function print(title: string, scene: Scene, balancer: Balancer, summary: object): void {
  const { requests, failed, longestToAcceptMs } = scene.load.counts()
  const { webhooks, retries } = scene.relay.counts()
  console.log(
    `${title}: ${JSON.stringify({ requests, failed, longestToAcceptMs: Math.round(longestToAcceptMs), webhooks, failedWebhooks: retries, balancerFailures: balancer.failures.length, ...summary })}`,
  )
}

const commit = values.from ?? (await findPreviousRelease())
console.log(`seed ${seed}, ${ordersPerSecond} orders/s, previous release ${commit}`)
const faults = await roll({ title: 'rolling restart', replacements: rounds })
await using release = await unpackRelease(commit)
faults.push(...(await roll({ title: `rolling upgrade from ${commit}`, before: release.root, replacements: 1 })))
process.exitCode = conclude(faults)
