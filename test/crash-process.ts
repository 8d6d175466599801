import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
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
