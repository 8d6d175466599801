import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { type FlakyProxy, startFlakyProxy } from '../../test/faults/flaky-proxy.ts'
import { freePort } from '../../test/programs/program.ts'
import { startServeProcess, stopServeProcess } from './serve-process.ts'

/** One `doorcode serve` process with its own network path to the database. It can be killed, frozen and silenced. */
export type SoakNode = {
  name: string
  url: string
  /** Lines that it logged at level error, over all restarts. */
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
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const errors: string[] = []
  const onLine = (line: string): void => {
    if (/"level":[56]0/.test(line)) errors.push(line)
  }
  const launch = (): Promise<ChildProcess> => startServeProcess({ name, databaseUrl: proxy.url, port, onLine })
  let child = await launch()

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
      await stopServeProcess(child)
      await proxy.close()
    },
  }
}
