import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { withTimeout } from '../../src/lib/with-timeout.ts'
import { INSTANCE_KEY } from '../database/seal.ts'
import { compileCacheEnv, freePort } from './program.ts'
import { waitFor } from '../world/wait-for.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Longer than a shutdown may take. */
const STOPS_WITHIN_MS = 40_000
/** The value that docs/high-availability.md advises: the slowest response of /readyz takes 2 s. */
const READINESS_TIMEOUT_MS = 3_000

type ServeOptions = {
  /** The folder of another release, which runs on its own Node. */
  root?: string | undefined
  /** Gets each line that it writes. */
  onLine?: (line: string) => void
}

export type ServeProcess = Awaited<ReturnType<typeof startServe>>

const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

/** `doorcode serve` as operators run it, when it is ready. */
export async function startServe(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
  { root, onLine }: ServeOptions = {},
) {
  const [port, metricsPort] = [settings['DOORCODE_PORT'] ?? (await freePort()), await freePort()]
  const node = root === undefined ? process.execPath : path.join(root, 'node_modules/.bin/node')
  const child = spawn(node, ['bin/doorcode.js', 'serve'], {
    cwd: root ?? ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...compileCacheEnv(),
      DATABASE_URL: databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_PORT: String(port),
      DOORCODE_METRICS_PORT: String(metricsPort),
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
      ...settings,
    },
  })
  running.add(child)
  let written = ''
  for (const input of [child.stdout, child.stderr]) {
    input.setEncoding('utf8').on('data', (text: string) => (written += text))
    if (onLine) createInterface({ input }).on('line', onLine)
  }
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return (signal ?? code) as number | string
  })
  const url = `http://127.0.0.1:${port}`
  await waitFor(
    () => `the server to be ready; it wrote: ${written}`,
    async () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${written}`)
      return isReady(url)
    },
  )
  const kill = (signal: NodeJS.Signals): void => void child.kill(signal)
  return {
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    /** Its stdout and stderr so far. */
    written: () => written,
    /** Resolves with its exit code, or with the signal that ended it. */
    ended,
    kill,
    /** SIGTERM, and SIGKILL if it does not end in time. */
    async stop(): Promise<void> {
      kill('SIGTERM')
      if (!(await withTimeout(STOPS_WITHIN_MS, ended))) kill('SIGKILL')
      await ended
    },
  }
}

export async function isReady(url: string): Promise<boolean> {
  const signal = AbortSignal.timeout(READINESS_TIMEOUT_MS)
  const answer = await fetch(`${url}/readyz`, { signal }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.ok ?? false
}
