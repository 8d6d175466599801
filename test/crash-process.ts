import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { after } from 'node:test'
import type { CrashServerOptions, Failpoint, Told } from './crash-server.ts'

/** Arms nothing: the server answers after all that it has told. */
export const NOWHERE: Failpoint = { statement: '', moment: 'before', stage: null }

/** A server process of which a test decides at which statement it dies. */
export type CrashServer = {
  url: string
  ran: { name: string; inTransaction: boolean }[]
  arm(failpoint: Failpoint): Promise<void>
  dead: Promise<unknown>
  kill(): Promise<void>
}

const children = new Set<ChildProcess>()
after(() => children.forEach((child) => child.kill('SIGKILL')))

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
  child.on('message', (told: Told) => {
    if ('listening' in told) listening.resolve(told.listening)
    if ('armed' in told) armed.resolve()
    if ('ran' in told) ran.push({ name: told.ran, inTransaction: told.inTransaction })
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
