import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { INSTANCE_KEY } from '../../bench/server-process.ts'
import { type FlakyProxy, startFlakyProxy } from '../flaky-proxy.ts'
import { freePort } from '../program.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const READY_WITHIN_MS = 60_000
const STOPS_WITHIN_MS = 40_000

/** One `doorcode serve` process with a network path of its own to the database, which can be killed, frozen and silenced. */
export type SoakNode = {
  name: string
  url: string
  /** Lines that it logged at level error, over all its lives. */
  errors(): readonly string[]
  /** kill -9, and a new process on the same port after this wait. */
  crash(downMs: number): Promise<void>
  /** SIGSTOP, and SIGCONT after this wait. */
  freeze(forMs: number): Promise<void>
  /** Its open connections to the database fall silent for good; new ones work again after this wait. */
  silence(forMs: number): Promise<void>
  stop(): Promise<void>
}

export async function startNode(name: string, databaseUrl: string): Promise<SoakNode> {
  const proxy: FlakyProxy = await startFlakyProxy(databaseUrl)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const errors: string[] = []
  let child: ChildProcess = await launch()

  async function launch(): Promise<ChildProcess> {
    const started = spawn(process.execPath, ['bin/doorcode.js', 'serve'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: proxy.url,
        DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
        DOORCODE_PORT: String(port),
        DOORCODE_METRICS_PORT: String(metricsPort),
        DOORCODE_ROLES: 'api,worker',
        DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
      },
    })
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        errors.push(...text.split('\n').filter((line) => line.includes('"level":50') || line.includes('"level":60')))
      })
    }
    const deadline = performance.now() + READY_WITHIN_MS
    while (!(await isReady(url))) {
      if (started.exitCode !== null) throw new Error(`${name} ended with ${started.exitCode}: ${errors.at(-1) ?? ''}`)
      if (performance.now() > deadline) throw new Error(`${name} was not ready within ${READY_WITHIN_MS} ms`)
      await wait(100)
    }
    return started
  }

  return {
    name,
    url,
    errors: () => errors,
    async crash(downMs) {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      await wait(downMs)
      child = await launch()
    },
    async freeze(forMs) {
      child.kill('SIGSTOP')
      try {
        await wait(forMs)
      } finally {
        child.kill('SIGCONT')
      }
    },
    async silence(forMs) {
      proxy.stall()
      try {
        await wait(forMs)
      } finally {
        proxy.restore()
      }
    },
    async stop() {
      child.kill('SIGCONT')
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOPS_WITHIN_MS)
      if (child.exitCode === null && child.signalCode === null) await ended
      clearTimeout(late)
      await proxy.close()
    },
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.ok ?? false
}
