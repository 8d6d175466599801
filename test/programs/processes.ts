import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { INSTANCE_KEY } from '../world/node.ts'
import { compileCacheEnv, freePort } from './program.ts'
import { waitFor } from '../world/wait-for.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** `doorcode serve` as operators run it. */
export type ServeProcess = {
  url: string
  metricsUrl: string
  /** Its stdout and stderr so far. */
  written(): string
  /** Resolves with its exit code, or with the signal that ended it. */
  ended: Promise<number | string>
  kill(signal: NodeJS.Signals): void
}

const running = new Set<ChildProcess>()
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')))

export async function startServe(databaseUrl: string, settings: Record<string, string> = {}): Promise<ServeProcess> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, ['bin/doorcode.js', 'serve'], {
    cwd: ROOT,
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
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written += text))
  const ended = once(child, 'exit').then(([code, signal]) => {
    running.delete(child)
    return (signal ?? code) as number | string
  })
  const url = `http://127.0.0.1:${port}`
  await waitFor(
    () => `the server to be ready; it wrote: ${written}`,
    async () => {
      if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${written}`)
      return (await fetch(`${url}/readyz`).catch(() => undefined))?.ok
    },
  )
  return {
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    written: () => written,
    ended,
    kill: (signal) => void child.kill(signal),
  }
}
