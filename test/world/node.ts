import type { Subscribers } from '../../src/messages/subscribers.ts'
import { pino } from 'pino'
import { type App, buildApp } from '../../src/app.ts'
import { createFairShare } from '../../src/lib/db/fair-share.ts'
import { subscribers } from '../../src/runtime/background/subscribers.ts'
import { backgroundLoops } from '../../src/runtime/background/table.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { type Config, readConfig } from '../../src/lib/config.ts'
import type { Pages } from '../../src/admin/pages/pages.ts'
import type { Db } from '../../src/lib/db/pool.ts'
import type { Loop } from '../../src/runtime/jobs/loop.ts'
import { nodeSettings } from '../../src/runtime/jobs/node.ts'
import { createWakeUps } from '../../src/runtime/jobs/wake.ts'
import { type Log, createLog } from '../../src/lib/log.ts'
import type { Tracer } from '../../src/lib/tracing.ts'
import { createNodeTracer } from '../../src/runtime/start/open.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import type { WorkName } from '../../src/runtime/jobs/wake.ts'
import type { Parts } from '../../src/runtime/parts.ts'
import { measured } from '../../src/providers/measured.ts'
import { createWhatsApp } from '../../src/providers/whatsapp/whatsapp.ts'
import { createNodeKeys } from '../../src/operations/secrets/nodes.ts'
import { openPooledDb } from '../faults/connections.ts'
import { INSTANCE_KEY, openTestSeal } from '../database/seal.ts'

/** The real program on a real port, with a database that other nodes may share. */
export type Node = {
  url: string
  app: App
  parts: Parts & { subscribers: Subscribers }
  /** All log lines, at level trace. */
  logLines: readonly string[]
  /** Wakes its background work, or these parts of it. */
  wake(work?: readonly WorkName[]): void
  stop(): Promise<void>
}

export type NodeOptions = {
  databaseUrl: string
  clock: Clock
  rateLimit?: Config['rateLimit']
  /** False: no background work. */
  works?: boolean
  /** False: codes and deliveries wait for their loops, as if earlier ones were waiting. */
  claimsOnWrite?: boolean
  /** Whether its loops remove what is old, and deleted workspaces. It takes half of a world's statements, so only tests about it ask for it. */
  removes?: boolean
  /** 0 takes any free port. */
  port?: number
  /** Wraps the program's database. */
  wrapDb?: (db: Db) => Db
  /** More environment variables. */
  settings?: Readonly<Record<string, string>>
}

export { INSTANCE_KEY }

let created: Pages | undefined

/** Shared by the nodes of a process. Not loaded by one that serves none: a crash test starts dozens. */
async function sharedPages(): Promise<Pages> {
  const { createPages } = await import('../../src/admin/pages/pages.ts')
  return (created ??= createPages({ log: createLog('silent') }))
}

const REMOVAL: ReadonlySet<string> = new Set(['retention', 'purge', 'housekeeping'])

/** Without the doctor, which examines the whole database: its test starts it. */
const loopsOf =
  (removes: boolean) =>
  (parts: Parts): Loop[] =>
    backgroundLoops(parts).filter(({ name }) => name !== 'doctor' && (removes || !REMOVAL.has(name)))

const WORK = ['submit', 'reports', 'deliver', 'sync'] as const satisfies WorkName[]

export async function startNode(options: NodeOptions): Promise<Node> {
  const { databaseUrl, clock, rateLimit = 'memory', works = true, port = 0, wrapDb = (db) => db, settings } = options
  const { claimsOnWrite = true, removes = false } = options
  const logLines: string[] = []
  const log = loggingInto(logLines)
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    DOORCODE_RATE_LIMIT: rateLimit,
    DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    // Files share a database: a test that moves its clock must not remove the rows of others.
    DOORCODE_KEEP_CONTENT_DAYS: '0',
    DOORCODE_KEEP_RECORDS_DAYS: '0',
    DOORCODE_KEEP_AUDIT_DAYS: '0',
    DOORCODE_ROLES: works ? 'api,worker,dashboard' : 'api,dashboard',
    ...settings,
  })
  const pool = await openPooledDb(databaseUrl, (err) => log.warn({ err }, 'a connection ended'))
  const db = wrapDb(pool)
  const metrics = createMetrics()
  const provider = measured(createWhatsApp(), metrics)
  const seal = await openTestSeal(pool, config.secretKeys)
  const wakes = createWakeUps({
    db,
    roles: config.roles,
    log,
    settings: nodeSettings(config),
    keys: createNodeKeys(seal),
  })
  const parts = {
    config,
    db,
    clock,
    seal,
    log,
    metrics,
    provider,
    wake: wakes.wake,
    live: wakes.live,
    subscribers,
    loops: loopsOf(removes),
    node: wakes.node,
    acceptedMessages: claimsOnWrite ? {} : undefined,
    recordedDeliveries: claimsOnWrite ? {} : undefined,
    fairShare: createFairShare({ onDelayed: () => metrics.delayedRequests.inc() }),
    tracer: undefined as Tracer | undefined,
  }
  if (config.tracing) parts.tracer = createNodeTracer(config.tracing, parts)
  const pages = config.roles.has('dashboard') ? await sharedPages() : undefined
  const app = await buildApp(parts, { ...wakes, ...(pages && { pages }) })
  const close = async (): Promise<void> => {
    await app.stop()
    await wakes.stop()
    await provider.close()
    await parts.tracer?.close()
    await pool.close()
  }
  let closed: Promise<void> | undefined
  /** Stops only once: a test may stop a node before its world does. */
  const stop = (): Promise<void> => (closed ??= close())
  try {
    const url = await app.server.listen({ port, host: '127.0.0.1' })
    await wakes.start()
    if (works) app.startWork()
    return { url, app, parts, logLines, wake: (work = WORK) => work.forEach((each) => wakes.wake(each)), stop }
  } catch (error) {
    await stop() // what stays open would keep the process running
    throw error
  }
}

/** The program's own logger with its redaction, writing to memory instead of stdout. */
function loggingInto(lines: string[]): Log {
  const log = createLog('trace')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  return log
}
