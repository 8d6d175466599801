import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { INSTANCE_KEY } from '../test/database/seal.ts'
import { percentile } from './figures.ts'
import { type ProcessUsage, readUsage } from './process-usage.ts'

/** What is measured: Doorcode, or one of those that it is compared with. */
export type Subject =
  | 'doorcode'
  | 'floor'
  | 'hook-floor'
  | 'confirmation-floor'
  | 'verification-floor'
  | 'narrow'
  | 'plain'

export type ServerOptions = {
  subject: Subject
  databaseUrl: string
  /** Whether it does the background work too. */
  works: boolean
  /** Uses the default roles and log of `serve`. */
  asOperated?: boolean
  /** Whether it serves the dashboard. */
  servesDashboard?: boolean
  /** Removes nothing. */
  keepsAll?: boolean
  /** A folder for a CPU profile of its whole life. */
  profile: string | undefined
}

export type ServerProcess = {
  port: number
  /** Two per second, oldest first. */
  samples: readonly ProcessUsage[]
  now(): Promise<ProcessUsage>
  stop(): Promise<void>
}

/** The server process sends this once it is listening. */
export type ListeningMessage = { port: number }

/** As bin/doorcode.js sets them. */
const NODE_FLAGS = ['--max-semi-space-size=16']
const NODE_COMPILE_CACHE = path.resolve(import.meta.dirname, '../node_modules/.cache/doorcode')

const SAMPLE_INTERVAL_MS = 500

/** A separate process, to measure its memory and CPU time. */
export async function startServer({
  subject,
  databaseUrl,
  works,
  asOperated = false,
  servesDashboard = false,
  keepsAll = false,
  profile,
}: ServerOptions): Promise<ServerProcess> {
  const profiling = profile
    ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${subject}.${Date.now()}.cpuprofile`]
    : []
  const args = [...NODE_FLAGS, ...profiling, path.join(import.meta.dirname, 'server.ts'), subject]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', asOperated ? 'ignore' : 'inherit', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE,
      DATABASE_URL: databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_RATE_LIMIT: 'memory',
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
      DOORCODE_METRICS_PORT: '0',
      ...(keepsAll && { DOORCODE_KEEP_CONTENT_DAYS: '0', DOORCODE_KEEP_RECORDS_DAYS: '0' }),
      ...(!asOperated && {
        DOORCODE_ROLES: ['api', ...(works ? ['worker'] : []), ...(servesDashboard ? ['dashboard'] : [])].join(','),
        DOORCODE_LOG_LEVEL: 'warn',
      }),
    },
  })
  const samples: ProcessUsage[] = []
  const port = await new Promise<number>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the ${subject} server ended with ${code}`)))
    child.once('message', ({ port }: ListeningMessage) => resolve(port))
  })
  const read = () => readUsage(child.pid ?? 0)
  const takeSample = async (): Promise<void> => {
    const sample = await read()
    if (sample && sample.rssBytes > 0) samples.push(sample) // a process that has ended has no memory
  }
  const timer = setInterval(() => void takeSample(), SAMPLE_INTERVAL_MS)
  child.once('exit', () => clearInterval(timer))
  return {
    port,
    samples,
    now: async () => (await read()) ?? { rssBytes: Number.NaN, cpuMs: Number.NaN },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** The highest memory of an early and of a late period: the difference shows a leak. */
export function memoryOf(samples: readonly ProcessUsage[]): { first: number; last: number; highest: number } {
  const sizes = samples.map(({ rssBytes }) => rssBytes)
  const third = Math.max(1, Math.floor(sizes.length / 3))
  return {
    first: percentile(sizes.slice(third, 2 * third), 0.5),
    last: percentile(sizes.slice(-third), 0.5),
    highest: percentile(sizes, 1),
  }
}
