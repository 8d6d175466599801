import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { freePort } from '../program.ts'
import { INSTANCE_KEY } from '../seal.ts'
import { waitFor } from '../wait-for.ts'
import { createService } from './service.ts'

const PROGRAM = path.resolve(import.meta.dirname, '../../bin/doorcode.js')
const READY_WITHIN_MS = 60_000
const STOPS_WITHIN_MS = 40_000

/** `doorcode serve` as operators run it. */
export type HaNode = {
  url: string
  lines(): Promise<Line[]>
  stop(): Promise<void>
}

/** A line of the log with the time that it was written at. */
export type Line = { time: number; msg: string }

export async function startNode(
  name: string,
  { databaseUrl, folder }: { databaseUrl: string; folder: string },
): Promise<HaNode> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const logFile = path.join(folder, `${name}.log`)
  const service = createService({
    program: process.execPath,
    args: [PROGRAM, 'serve'],
    environment: {
      DATABASE_URL: databaseUrl,
      DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
      DOORCODE_PORT: String(port),
      DOORCODE_METRICS_PORT: String(metricsPort),
      DOORCODE_ROLES: 'api,worker',
      DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
    },
    logFile,
    user: undefined,
  })
  await service.start()
  const url = `http://127.0.0.1:${port}`
  await waitFor(`${name} to be ready`, () => isReady(url), READY_WITHIN_MS).catch(async (error: unknown) => {
    console.log(await service.tail())
    await service.kill()
    throw error
  })
  return {
    url,
    lines: async () => (await readFile(logFile, 'utf8')).split('\n').filter(Boolean).map(readLine),
    async stop() {
      const late = setTimeout(() => void service.kill(), STOPS_WITHIN_MS)
      await service.end()
      clearTimeout(late)
    },
  }
}

/** A line that is not JSON is output of a crash. */
function readLine(text: string): Line {
  try {
    const { time, msg } = JSON.parse(text) as { time: string; msg: string }
    return { time: Date.parse(time), msg }
  } catch {
    return { time: Date.now(), msg: text }
  }
}

async function isReady(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ASK_WITHIN_MS) }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.ok ?? false
}

const WINDOW_MS = 10_000

/** The largest number of lines in any 10 seconds. */
export function mostLinesInWindow(lines: readonly Line[]): number {
  let most = 0
  let from = 0
  lines.forEach(({ time }, index) => {
    while (time - (lines[from]?.time ?? time) > WINDOW_MS) from += 1
    most = Math.max(most, index - from + 1)
  })
  return most
}

const SAMPLE_MS = 100
const ASK_WITHIN_MS = 5_000

export type Readiness = { changes: { at: number; ready: boolean }[]; stop(): void }

/** Polls /readyz, as a load balancer does, and records each change of the answer. */
export function watchReadiness(url: string): Readiness {
  const changes: Readiness['changes'] = []
  let ready = true
  let isAsking = false
  const ask = async (): Promise<void> => {
    if (isAsking) return
    isAsking = true
    const answer = await isReady(url)
    isAsking = false
    if (answer === ready) return
    ready = answer
    changes.push({ at: performance.now(), ready })
  }
  const timer = setInterval(() => void ask(), SAMPLE_MS)
  return { changes, stop: () => clearInterval(timer) }
}
