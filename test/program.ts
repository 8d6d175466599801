import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import type { TestContext } from 'node:test'

/** Doorcode as its operator runs it: a process of its own. */
export type Program = {
  child: ChildProcess
  /** Exit code or signal, once everything that it wrote was read. */
  ended: Promise<[number | null, NodeJS.Signals | null]>
  stdout: () => string
  stderr: () => string
}

/** What is compiled already need not be compiled again by each program that a test starts. */
export function compiled(): Record<string, string> {
  const { NODE_COMPILE_CACHE } = process.env
  return NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}
}

/** Runs `doorcode <args>` with nothing but this environment; killed when the test ends. */
export function runProgram(t: TestContext, args: readonly string[], environment: Record<string, string>): Program {
  const child = spawn(process.execPath, ['bin/doorcode.js', ...args], {
    cwd: path.resolve(import.meta.dirname, '..'),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...compiled(), ...environment },
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

/** A port that nothing listened on a moment ago; rejects when `wanted` is taken. */
export async function freePort(wanted = 0): Promise<number> {
  const server = createServer().listen(wanted, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
