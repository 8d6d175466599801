import { pino } from 'pino'
import { type App, buildApp } from '../src/app.ts'
import type { Clock } from '../src/clock.ts'
import { type Config, readConfig } from '../src/config.ts'
import { openPages } from '../src/dashboard/static-files.ts'
import { type Db, openDb } from '../src/db.ts'
import { createWake } from '../src/jobs/wake.ts'
import { type Log, createLog } from '../src/log.ts'
import { createMetrics } from '../src/metrics.ts'
import type { Parts, WorkName } from '../src/parts.ts'
import { whatsapp } from '../src/providers/whatsapp/whatsapp.ts'
import { sealWith } from '../src/seal.ts'

/** One process's worth of Doorcode: the real program on a real port, on a database that others may share. */
export type Node = {
  url: string
  app: App
  parts: Parts
  /** Every line that it logged, at the most talkative level. */
  logLines: readonly string[]
  /** Rouses its background work. */
  wake(): void
  stop(): Promise<void>
}

export type NodeOptions = {
  databaseUrl: string
  clock: Clock
  rateLimit?: Config['rateLimit']
  /** False: it answers requests and leaves the background work to others. */
  works?: boolean
  /** 0 takes any free port. */
  port?: number
  /** What the program runs its statements on, made from what it would have run them on. */
  wrapDb?: (db: Db) => Db
  /** More of the environment. */
  settings?: Readonly<Record<string, string>>
}

/** The same for all nodes of a run, as of one installation. */
export const INSTANCE_KEY = Buffer.alloc(32, 7)

/** Read and zipped once for the many nodes of a file. */
const pages = openPages({ log: createLog('silent') })

const POOL_SIZE = 6
const WORK = ['submit', 'reports', 'deliver', 'sync'] as const satisfies WorkName[]

export async function startNode(options: NodeOptions): Promise<Node> {
  const { databaseUrl, clock, rateLimit = 'memory', works = true, port = 0, wrapDb = (db) => db, settings } = options
  const logLines: string[] = []
  const log = loggingInto(logLines)
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    DOORCODE_RATE_LIMIT: rateLimit,
    DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    DOORCODE_ROLES: works ? 'api,worker,dashboard' : 'api,dashboard',
    ...settings,
  })
  const pool = openDb({
    url: databaseUrl,
    poolSize: POOL_SIZE,
    onIdleError: (err) => log.warn({ err }, 'a connection ended'),
  })
  const db = wrapDb(pool)
  const provider = whatsapp()
  const wakes = createWake({ db, roles: config.roles, log })
  const parts = {
    config,
    db,
    clock,
    seal: sealWith(INSTANCE_KEY),
    log,
    metrics: createMetrics(),
    provider,
    wake: wakes.wake,
    live: wakes.live,
  }
  const app = await buildApp(parts, { ...wakes, pages })
  const url = await app.server.listen({ port, host: '127.0.0.1' })
  if (works) app.startWork()
  wakes.start()
  return {
    url,
    app,
    parts,
    logLines,
    wake: () => WORK.forEach((work) => wakes.wake(work)),
    async stop() {
      await app.stop()
      await wakes.stop()
      await provider.close()
      await pool.close()
    },
  }
}

/** The program's own logger with its redaction, writing to memory instead of stdout. */
function loggingInto(lines: string[]): Log {
  const log = createLog('trace')
  Reflect.set(log, pino.symbols.streamSym, { write: (line: string) => void lines.push(line) })
  return log
}
