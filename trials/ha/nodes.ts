import { isReady, startServe } from '../../test/programs/processes.ts'

export type HaNode = AsyncDisposable & { url: string; lines: readonly Line[] }

/** A line of the log with the time that it was written at. */
export type Line = { time: number; msg: string }

export async function startNode(databaseUrl: string): Promise<HaNode> {
  const lines: Line[] = []
  const onLine = (text: string): void => void lines.push(readLine(text))
  const server = await startServe(databaseUrl, { DOORCODE_ROLES: 'api,worker' }, { onLine })
  return { url: server.url, lines, [Symbol.asyncDispose]: () => server.stop() }
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

/** Polls /readyz, as a load balancer does, and records each change of the answer. */
export function watchReadiness(url: string) {
  const changes: { at: number; ready: boolean }[] = []
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
