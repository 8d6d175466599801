import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open, readFile } from 'node:fs/promises'

type ServiceOptions = {
  program: string
  args: readonly string[]
  environment: Readonly<Record<string, string>>
  logFile: string
}

export type Service = ReturnType<typeof createService>

const TAIL_CHARACTERS = 2_000

/** A program that runs until it is stopped, and can be started again. */
export function createService({ program, args, environment, logFile }: ServiceOptions) {
  let child: ChildProcess | undefined
  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child || !isRunning()) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  return {
    async start(): Promise<void> {
      const log: FileHandle = await open(logFile, 'a')
      child = spawn(program, args, {
        cwd: '/',
        stdio: ['ignore', log.fd, log.fd],
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8', ...environment },
      })
      await once(child, 'spawn')
      await log.close()
    },
    /** Returns undefined if the service is not running. */
    pid: () => (isRunning() ? child?.pid : undefined),
    kill: () => stop('SIGKILL'),
    end: () => stop('SIGTERM'),
    /** The end of its log. */
    tail: async () => (await readFile(logFile, 'utf8').catch(() => '')).slice(-TAIL_CHARACTERS),
  }
}

/** The children of a running process; empty if it has ended. */
export const childrenOf = async (pid: number): Promise<number[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => ''))
    .split(' ')
    .map(Number)
    .filter((child) => child > 0)

/** Ignores processes that have already ended. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
    }
  }
}
