import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { freePort } from '../programs/program.ts'
import type { World } from '../world/world.ts'
import type { CrashServerOptions, Failpoint, StatementRun, Progress } from './crash-server.ts'

/** Never reached: arming it flushes the server's earlier messages. */
export const NEVER: Failpoint = { statement: '', moment: 'before', stage: null }

/** A server process that dies at a statement that the test chooses. */
export type CrashServer = {
  url: string
  ran: StatementRun[]
  arm(failpoint: Failpoint): Promise<void>
  dead: Promise<unknown>
  kill(): Promise<void>
}

const children = new Set<ChildProcess>()
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')))

export async function startCrashServer(options: CrashServerOptions): Promise<CrashServer> {
  const child = fork(path.resolve(import.meta.dirname, 'crash-server.ts'), [JSON.stringify(options)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  children.add(child)
  const ran: CrashServer['ran'] = []
  const listening = Promise.withResolvers<string>()
  const armed = Promise.withResolvers<void>()
  const dead = once(child, 'exit')
  child.once('exit', (code, signal) => {
    children.delete(child)
    listening.reject(new Error(`the server ended with ${signal ?? code} before it listened`))
  })
  child.on('message', (message: Progress) => {
    if ('listening' in message) listening.resolve(message.listening)
    if ('armed' in message) armed.resolve()
    if ('ran' in message) ran.push(message)
  })
  return {
    url: await listening.promise,
    ran,
    async arm(failpoint) {
      child.send(failpoint)
      await armed.promise
    },
    dead,
    async kill() {
      child.kill('SIGKILL')
      await dead
    },
  }
}

/** Attempts whose outcome is open. Attempts whose lease never began do not count: nothing was sent. */
export const OPEN_ATTEMPT = `select 1 from messages m where m.workspace_id = $1 and m.attempted_at is not null
  and not exists (select from leases l where l.id = m.lease and l.begun_at is null)`

/** Longer than every lease, and than the wait for the report of an unknown outcome. */
const BEYOND_LEASES_MS = 90_000

export type RestartableServer = { server: CrashServer; restart(): Promise<void> }

/** A server on the world's database that receives its webhooks. Its port stays the same after restarts, like a real service's. */
export async function startRestartableServer(
  world: World,
  options: Pick<CrashServerOptions, 'claimsOnWrite'> = {},
): Promise<RestartableServer> {
  const port = await freePort()
  world.setCallback(`http://127.0.0.1:${port}`)
  let movedByMs = 0
  const start = () => startCrashServer({ databaseUrl: world.databaseUrl, port, movedByMs, ...options })
  const running: RestartableServer = {
    server: await start(),
    async restart() {
      await running.server.kill()
      movedByMs += BEYOND_LEASES_MS
      running.server = await start()
    },
  }
  return running
}
