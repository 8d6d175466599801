import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { type Emulator, startEmulator } from '@doorcode/whatsapp-emulator'
import { postgresEnvironment } from '../../src/runtime/start/embedded-postgres/cluster.ts'
import { startEmbeddedPostgres } from '../../src/runtime/start/embedded-postgres/server.ts'
import { createDatabase, urlOf } from '../../test/database/postgres.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import { check, numbersOf, settle, unfinished } from './checks.ts'
import { startCustomers } from './customers.ts'
import { createDatabaseClock } from './database-clock.ts'
import { startEndpoint } from './endpoint.ts'
import { createLoad } from './load.ts'
import type { Random } from './random.ts'
import { startRelay } from './relay.ts'
import { openShop } from './shop.ts'

const SETTLES_WITHIN_MS = 5 * 60_000
/** Between two looks at what is left. */
const PAUSE_MS = 500
const CODES_PER_ORDER = 1 / 6
const UUID_LENGTH = 36

const COUNT_KEPT = `select ${['messages', 'confirmations', 'cod_answers', 'events', 'provider_reports', 'audit_log']
  .map((table) => `(select count(*) from ${table}) as ${table}`)
  .join(', ')},
  (select count(*) from events where body <> '') as bodies`

export type Scene = Awaited<ReturnType<typeof openScene>>

type SceneOptions = {
  random: Random
  /** Starts what serves the database, and returns where clients and WhatsApp reach it. It migrates the database. */
  serve: (databaseUrl: string) => Promise<[string, ...string[]]>
  /** Opens the shop with another release. */
  open?: typeof openShop
  /** How far the clock of the database is moved while work is done. Without it, the clock is not moved. Needs libfaketime. */
  maxJumpSeconds?: number
}

/** Opens a shop on its own database, its clients, their endpoint, customers, and WhatsApp behind a bad network. */
export async function openScene(
  opened: AsyncDisposableStack,
  { random, serve, open = openShop, maxJumpSeconds }: SceneOptions,
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-soak-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  await chmod(folder, 0o711) // root's PostgreSQL runs as another user, who must be able to enter it
  const clock = maxJumpSeconds === undefined ? undefined : await createDatabaseClock(folder)
  Object.assign(postgresEnvironment, clock?.environment)
  const postgres = await startEmbeddedPostgres({ dataDir: folder })
  opened.defer(() => postgres.stop())
  const databaseUrl = urlOf(postgres.url, 'soak')
  await createDatabase(postgres.superuserUrl, 'soak')

  const emulator = await startEmulator({ speed: 0.2, magicNumbers: false, batch: { windowMs: 0 } })
  opened.defer(() => emulator.close())
  const sends = countSends(emulator)
  const endpoint = await startEndpoint()
  opened.defer(() => endpoint.close())
  const urls = await serve(databaseUrl)
  const relay = await startRelay(urls, random)
  opened.defer(() => relay.close())
  const shop = await open({ databaseUrl, emulator, callbackOrigin: relay.url, endpointUrl: endpoint.url })
  endpoint.trust(shop.secret)
  const customers = startCustomers(emulator)
  const load = createLoad({ shop, nodeUrls: urls, customers, random })
  const database = new Client(databaseUrl)
  await database.connect()
  opened.defer(() => database.end())

  const leftOver = async (): Promise<Record<string, number>> => {
    await emulator.idle() // also of the reports that it has not sent yet
    await wait(PAUSE_MS)
    const requests = load.pending()
    return { requests, relay: relay.pending(), waiting: customers.waiting(), ...(await unfinished(database)) }
  }
  const countNodes = async (): Promise<number> => {
    const { rows } = await database.query<{ number: number }>('select count(*)::int as number from nodes')
    return rows[0]?.number ?? 0
  }

  return {
    clock,
    load,
    relay,
    endpoint,
    async sendWhile(signal: AbortSignal, ordersPerSecond: number): Promise<void> {
      const beganAt = performance.now()
      for (let begun = 0; !signal.aborted; begun += 1) {
        void load.begin('order')
        if (random.next() < CODES_PER_ORDER) void load.begin('code')
        await wait(Math.max(0, beganAt + ((begun + 1) * 1_000) / ordersPerSecond - performance.now()))
      }
    },
    /** Waits until every customer has got what they wait for. Returns what is missing after this time. */
    serveAll: (withinMs: number): Promise<string[]> =>
      waitFor('customers to be served', () => customers.waiting() === 0, withinMs).then(
        () => [],
        () => [`${customers.waiting()} customers never got what they waited for`],
      ),
    /** Rows of nodes, as soon as there are so many, or after this time. */
    async countNodes(expected: number, withinMs: number): Promise<number> {
      const areThere = async (): Promise<boolean> => (await countNodes()) === expected
      await waitFor('the rows of nodes', areThere, withinMs).catch(() => {})
      return countNodes()
    },
    /** The work that is left. */
    left: () => unfinished(database),
    /** Rows of each table that removal by age would empty. */
    countKept: async (): Promise<Record<string, number>> =>
      numbersOf((await database.query<Record<string, string>>(COUNT_KEPT)).rows[0]),
    /** When all work has ended: what was lost, doubled or overwritten. */
    async check(): Promise<{ summary: Record<string, number>; faults: string[] }> {
      const unsettled = await settle(leftOver, SETTLES_WITHIN_MS)
      const { lost, doubled, summary, faults } = await check({
        database,
        nodeUrl: urls[0],
        apiKeys: shop.keys,
        workspaceId: shop.workspaceId,
        accepted: load.accepted,
        customers,
        endpoint,
        sends,
        clockErrorSeconds: maxJumpSeconds ?? 0,
      })
      if (lost.size > 0) faults.push(`${lost.size} accepted requests were lost`)
      if (doubled > 0) faults.push(`${doubled} requests were stored twice`)
      faults.push(...unsettled, ...load.faults)
      const { unverified } = endpoint.counts()
      if (unverified > 0) faults.push(`${unverified} webhooks had a wrong signature`)
      return { summary, faults }
    },
  }
}

/** How often the provider accepted each message, by our message id. */
export function countSends(emulator: Emulator): Map<string, number> {
  const sends = new Map<string, number>()
  emulator.onMessage(({ callbackData }) => {
    const messageId = callbackData?.slice(-UUID_LENGTH) ?? ''
    sends.set(messageId, (sends.get(messageId) ?? 0) + 1)
  })
  return sends
}

const FAULTS_SHOWN = 40

/** Prints the verdict: the faults, or `fine`. Returns the exit code. */
export function conclude(faults: readonly string[], fine = 'nothing lost, doubled or overwritten'): 0 | 1 {
  for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(`FAULT ${fault}`)
  console.log(faults.length === 0 ? fine : `${faults.length} faults`)
  return faults.length === 0 ? 0 : 1
}

/** An option of the command line. */
export function positive(name: string, text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  console.error(`--${name} must be a number above 0, not ${text}`)
  process.exit(2)
}
