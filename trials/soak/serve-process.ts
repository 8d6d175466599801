import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { freePort } from '../../test/programs/program.ts'
import { INSTANCE_KEY } from '../../test/database/seal.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const READY_WITHIN_MS = 60_000
const STOPS_WITHIN_MS = 40_000

export type ServeOptions = {
  name: string
  databaseUrl: string
  port: number
  /** Each line of its log. */
  onLine?: (line: string) => void
  /** The folder of another release, which runs on its own Node. */
  root?: string | undefined
  /** More environment variables. */
  settings?: Readonly<Record<string, string>>
}

/** A `doorcode serve` process with API and worker, when it is ready. */
export async function startServeProcess(options: ServeOptions): Promise<ChildProcess> {
  const { name, databaseUrl, port, onLine, root, settings } = options
  const node = root === undefined ? process.execPath : path.join(root, 'node_modules/.bin/node')
  const child = spawn(node, ['bin/doorcode.js', 'serve'], {
    cwd: root ?? ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_PORT: String(port),
      DOORCODE_METRICS_PORT: String(await freePort()),
      DOORCODE_ROLES: 'api,worker',
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
      ...settings,
    },
  })
  let last = ''
  for (const input of [child.stdout, child.stderr])
    createInterface({ input }).on('line', (line) => {
      last = line
      onLine?.(line)
    })
  const deadline = performance.now() + READY_WITHIN_MS
  while (!(await isReady(`http://127.0.0.1:${port}`))) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${last}`)
    if (performance.now() > deadline) {
      child.kill('SIGKILL')
      throw new Error(`${name} was not ready within ${READY_WITHIN_MS} ms: ${last}`)
    }
    await wait(100)
  }
  return child
}

/** The value that docs/high-availability.md advises: the slowest response of /readyz takes 2 s. */
const ASK_WITHIN_MS = 3_000

export async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ASK_WITHIN_MS) }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.ok ?? false
}

/** SIGTERM, and SIGKILL after longer than a shutdown may take. */
export async function stopServeProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS)
  await ended
  clearTimeout(late)
}
