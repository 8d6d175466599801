import { setTimeout as wait } from 'node:timers/promises'
import { startFlakyProxy } from '../../test/faults/flaky-proxy.ts'
import { startServe } from '../../test/programs/processes.ts'
import { freePort } from '../../test/programs/program.ts'

export type SoakNode = Awaited<ReturnType<typeof startNode>>

/** One `doorcode serve` process with its own network path to the database. It can be killed, frozen and silenced. */
export async function startNode(name: string, databaseUrl: string) {
  const proxy = await startFlakyProxy(databaseUrl)
  const settings = { DOORCODE_ROLES: 'api,worker', DOORCODE_PORT: String(await freePort()) }
  const errors: string[] = []
  const onLine = (line: string): void => {
    if (/"level":[56]0/.test(line)) errors.push(line)
  }
  const launch = () => startServe(proxy.url, settings, { onLine })
  let server = await launch()

  return {
    name,
    url: server.url,
    /** Lines that it logged at level error, over all restarts. */
    errors,
    /** kill -9, and a new process on the same port after this wait. */
    async crash(downMs: number): Promise<void> {
      server.kill('SIGKILL')
      await server.ended
      await wait(downMs)
      server = await launch()
    },
    /** SIGSTOP, and SIGCONT after this wait. */
    async freeze(forMs: number): Promise<void> {
      server.kill('SIGSTOP')
      try {
        await wait(forMs)
      } finally {
        server.kill('SIGCONT')
      }
    },
    /** Its open connections to the database fall silent for good; new ones work again after this wait. */
    async silence(forMs: number): Promise<void> {
      proxy.stall()
      try {
        await wait(forMs)
      } finally {
        proxy.restore()
      }
    },
    async stop(): Promise<void> {
      server.kill('SIGCONT')
      await server.stop()
      await proxy.close()
    },
  }
}
