import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { Client } from 'pg'
import { startEmulator } from '@doorcode/whatsapp-emulator'
import { percentile } from '../../bench/figures.ts'
import { runCommand } from '../../test/world/command-line.ts'
import { freePort } from '../../test/programs/program.ts'
import { INSTANCE_KEY } from '../../test/database/seal.ts'
import { type Evidence, type Findings, check, settle, unfinished } from '../soak/checks.ts'
import { startCustomers } from '../soak/customers.ts'
import { startEndpoint } from '../soak/endpoint.ts'
import { createLoad } from '../soak/load.ts'
import { seededRandom } from '../soak/random.ts'
import { conclude, countSends } from '../soak/scene.ts'
import { openShop } from '../soak/shop.ts'
import type { TimelineEntry } from '../../src/explain/entry.ts'
import { type Cluster, startCluster } from './cluster.ts'
import { repeatSome, sendWhile } from './load.ts'
import { type HaNode, mostLinesInWindow, startNode, watchReadiness } from './nodes.ts'
import { type Report, checkReports, printReports } from './report.ts'
import { findPrograms, findUser } from './requirements.ts'
import { type Scenario, control } from './scenarios.ts'

/** How long the load runs before and after each failure. */
const STEADY_MS = 3_000
/** The provider retries an unanswered webhook for days; here it retries every second. */
const WEBHOOK_RETRY_GAPS_MS = Array<number>(300).fill(1_000)
/** Per scenario, because `explain` takes a second. All messages are compared with their attempts. */
const MAX_EXPLAINED = 20
const SETTLES_WITHIN_MS = 90_000

export type RunOptions = { seed: number; requestsPerSecond: number; chosen: readonly Scenario[] }

/** Returns the exit code. */
export async function runScenarios(
  opened: AsyncDisposableStack,
  { seed, requestsPerSecond, chosen }: RunOptions,
): Promise<number> {
  const [programs, user] = [await findPrograms(), await findUser()]
  const beganAt = performance.now()
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-ha-'))
  opened.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
  await chmod(folder, 0o711) // the members run as another user, who must be able to enter it
  console.log(
    `seed ${seed}, ${requestsPerSecond} requests/s, ${programs.postgresFolder}, Patroni and etcd as on Debian ${programs.debian}: starting three machines …`,
  )
  const cluster = await startCluster({ folder, programs, user })
  opened.defer(() => cluster.close())
  const { databaseUrl } = cluster

  const emulator = await startEmulator({
    speed: 0.2,
    magicNumbers: false,
    batch: { windowMs: 0 },
    retryGapsMs: WEBHOOK_RETRY_GAPS_MS,
  })
  opened.defer(() => emulator.close())
  const sends = countSends(emulator)
  const endpoint = await startEndpoint()
  opened.defer(() => endpoint.close())
  const start = async (): Promise<HaNode> => opened.use(await startNode(databaseUrl))
  const nodes = [await start(), await start()] as const
  await assertStandbyRejected(cluster)
  const shop = await openShop({ databaseUrl, emulator, callbackOrigin: nodes[0].url, endpointUrl: endpoint.url })
  endpoint.trust(shop.secret)

  const random = seededRandom(seed)
  const customers = startCustomers(emulator)
  const load = createLoad({ shop, nodeUrls: [nodes[0].url, nodes[1].url], customers, random })
  const { accepted } = load
  const evidence = {
    nodeUrl: nodes[0].url,
    apiKeys: shop.keys,
    workspaceId: shop.workspaceId,
    accepted,
    customers,
    endpoint,
    sends,
  }
  const knownDoubles = new Set<string>()
  let explained = 0
  let lostBefore = 0
  const reports: Report[] = []
  for (const scenario of chosen) {
    if (!scenario.isSynchronous) await cluster.makeAsynchronous()
    for (let time = 0; time < (scenario.times ?? 1); time += 1) {
      reports.push(await runUnderLoad(scenario))
      printReports(reports.slice(-1))
    }
  }
  console.log('')
  printReports(reports)
  const { events, repeated, unverified } = endpoint.counts()
  const tookMs = performance.now() - beganAt
  console.log(`${knownDoubles.size} messages were sent twice; explain showed the reason for ${explained} of them`)
  console.log(
    `${events} webhooks, ${repeated} repeated, ${unverified} with a wrong signature; ${Math.round(tookMs / 1_000)} s`,
  )
  const faults = checkReports(reports, programs.debian)
  if (unverified > 0) faults.push(`${unverified} webhooks had a wrong signature`)
  return conclude(faults, summaryOf(chosen))

  /** Checks what is stored when every request has been accepted and no work is left. */
  async function runUnderLoad(scenario: Scenario): Promise<Report> {
    const first = accepted.length
    const startedAt = performance.now()
    const wallClock = Date.now()
    const readiness = nodes.map(({ url }) => watchReadiness(url))
    load.others.clear()
    const faultsBefore = load.faults.length
    const ending = new AbortController()
    const sending = sendWhile(load, { random, requestsPerSecond, signal: ending.signal })
    await wait(STEADY_MS)
    const repair = await scenario.run(cluster)
    await wait(STEADY_MS)
    ending.abort()
    await sending
    for (const each of readiness) each.stop()
    const { isSynchronous } = scenario
    const own = accepted.slice(first)
    const repeated = isSynchronous ? await repeatSome(load, own) : 0
    const { lost, doubled, sentTwice, faults } = await checkStored(databaseUrl, {
      ...evidence,
      conversations: isSynchronous ? own : [],
    })
    const lines = nodes.map((node) => node.lines.filter(({ time }) => time >= wallClock))
    const doubles = [...sentTwice].filter(([id]) => !knownDoubles.has(id))
    for (const [id] of doubles) knownDoubles.add(id)
    // Without synchronous replication the record of the first attempt may be lost: then `explain` cannot show it.
    for (const double of isSynchronous ? doubles.slice(0, MAX_EXPLAINED) : []) {
      await assertExplained(double, databaseUrl)
      explained += 1
    }
    const gap = longestGap([startedAt, ...own.map(({ at }) => at)])
    const before = lostBefore
    lostBefore = lost.size
    const deaths = lines.flat().filter(({ msg }) => msg.startsWith('a node died')).length
    return {
      scenario,
      accepted: own.length,
      repeated,
      lost: lost.size - before,
      doubled,
      sentTwice: doubles.length,
      gapMs: gap.ms,
      p99Ms: percentile(
        own.map(({ tookMs }) => tookMs),
        0.99,
      ),
      otherAnswers: [...load.others].map(([status, count]) => `${count} × ${status}`).join(', ') || '–',
      notReadyAfterMs: latest(
        readiness.map(({ changes }) => changes.find(({ at, ready }) => !ready && at >= gap.at)?.at),
        gap.at,
      ),
      linesInWindow: Math.max(...lines.map((each) => mostLinesInWindow(each))),
      faults: [
        // In the control, the provider and clients still know the lost messages, and a repeated request may be one of them.
        ...(isSynchronous ? [...faults, ...load.faults.slice(faultsBefore)] : []),
        ...(repair === undefined ? [] : [repair]),
        ...(deaths > 0 ? [`${deaths} times a node declared another dead that was only reconnecting`] : []),
      ],
    }
  }
}

/**
 * Compares when no work is left. Without conversations: after a loss, reports about lost messages are never processed and
 * customers wait for lost questions.
 */
async function checkStored(databaseUrl: string, evidence: Omit<Evidence, 'database'>): Promise<Findings> {
  const database = new Client(databaseUrl)
  database.on('error', () => {})
  await database.connect()
  const leftOver = async (): Promise<Record<string, number>> => {
    const left = await unfinished(database)
    if (evidence.conversations?.length !== 0) return { ...left, waiting: evidence.customers.waiting() }
    delete left['reports']
    return left
  }
  try {
    const unsettled = await settle(leftOver, SETTLES_WITHIN_MS)
    const findings = await check({ ...evidence, database })
    return { ...findings, faults: [...unsettled, ...findings.faults] }
  } finally {
    await database.end()
  }
}

function summaryOf(chosen: readonly Scenario[]): string {
  const ofControl = chosen.includes(control)
    ? 'the control lost some, as it must'
    : 'the control did not run, so this run does not show that a loss would be found'
  return `nothing accepted was lost or stored twice; ${ofControl}`
}

/** A node must not serve with a database that it cannot write to. */
async function assertStandbyRejected(cluster: Cluster): Promise<void> {
  const standby = await cluster.synchronousStandby()
  const { code, stderr } = await runCommand(['serve'], {
    DATABASE_URL: cluster.memberUrl(standby),
    DOORCODE_PORT: String(await freePort()),
    DOORCODE_METRICS_PORT: '0',
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
  })
  assert.equal(code, 1)
  assert.match(stderr, /The database is a standby, which is read-only\. Set DATABASE_URL to the primary/)
}

/** For a code that the provider got twice, `explain` must show each attempt, and that the outcome of the first was unknown. */
async function assertExplained([id, copies]: readonly [string, number], databaseUrl: string): Promise<void> {
  const { code, stdout, stderr } = await runCommand(['explain', id, '--json'], {
    DATABASE_URL: databaseUrl,
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
  })
  assert.equal(code, 0, stderr)
  const { timeline } = JSON.parse(stdout) as { timeline: TimelineEntry[] }
  const outcomes = timeline.filter(({ what }) => what === 'attempt').map(({ outcome }) => outcome)
  const unknown = outcomes.filter((outcome) => outcome === 'unknown').length
  assert.ok(
    unknown >= copies - 1 && outcomes.length >= copies,
    `${id} was sent ${copies} times: ${outcomes.join(', ')}`,
  )
}

function latest(times: readonly (number | undefined)[], since: number): number | undefined {
  const known = times.filter((time) => time !== undefined)
  return known.length > 0 ? Math.max(...known) - since : undefined
}

/** `at`: when it began. */
function longestGap(times: readonly number[]): { at: number; ms: number } {
  const sorted = times.toSorted((one, other) => one - other)
  let longest = { at: 0, ms: 0 }
  for (const [index, at] of sorted.entries()) {
    const ms = (sorted[index + 1] ?? at) - at
    if (ms > longest.ms) longest = { at, ms }
  }
  return longest
}
