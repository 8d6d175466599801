import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import type { TestContext } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }

/** Doorcode in a separate process, as its operator runs it. */
export type Program = {
  child: ChildProcess
  /** Exit code or signal, once everything that it wrote was read. */
  ended: Promise<[number | null, NodeJS.Signals | null]>
  stdout: () => string
  stderr: () => string
}

/** Shares the compile cache with the programs that tests start. */
export function compileCacheEnv(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
}

/** Runs `doorcode <args>` with nothing but this environment; killed when the test ends. */
export const runProgram = (t: TestContext, args: readonly string[], environment: Record<string, string>): Program =>
  run(t, [process.execPath, 'bin/doorcode.js', ...args], environment)

/** The same, through the shell of `npm run doorcode`. */
export const runScript = (t: TestContext, args: readonly string[], environment: Record<string, string>): Program =>
  run(t, ['/bin/sh', '-c', [manifest.scripts.doorcode, ...args].join(' ')], environment)

/** Another program, in the folder of Doorcode unless another is given. */
export function run(
  t: TestContext,
  [program = '', ...args]: readonly string[],
  environment: Record<string, string>,
  cwd = path.resolve(import.meta.dirname, '../..'),
): Program {
  const child = spawn(program, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...compileCacheEnv(), ...environment },
  })
  const written = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()))
  const ended = once(child, 'close') as Program['ended']
  t.after(async () => {
    child.kill('SIGKILL')
    await ended
  })
  return { child, ended, stdout: () => written.stdout, stderr: () => written.stderr }
}

/**
 * Below the ports that systems give to programs that name none (Linux from 32768, others from 49152) and to each connection: of
 * those one that was free a moment ago may be taken before a program that is told it has started.
 */
const PORTS = { from: 10_240, to: 32_000 }
const MAX_TRIES = 20

/** A port that nothing listened on a moment ago; rejects when `wanted` is taken. */
export async function freePort(wanted?: number): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = wanted ?? randomInt(PORTS.from, PORTS.to)
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
    } catch (error) {
      if (wanted === undefined && tries < MAX_TRIES) continue
      throw error
    }
    server.close()
    await once(server, 'close')
    return port
  }
}

/** The PATH of root may lack the folders of servers. */
const MORE_FOLDERS = ['/usr/sbin', '/usr/bin']

/** Returns undefined if it is not installed. */
export const findProgram = (name: string): string | undefined =>
  [...(process.env['PATH'] ?? '').split(':').filter(Boolean), ...MORE_FOLDERS]
    .map((folder) => path.join(folder, name))
    .find(canRun)

export const isInPath = (name: string): boolean => findProgram(name) !== undefined

export function canRun(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
