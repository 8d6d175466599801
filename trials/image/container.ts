import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { withTimeout } from '../../src/lib/with-timeout.ts'
import { waitFor } from '../../test/world/wait-for.ts'

const run = promisify(execFile)

/** What a container engine reads from the image. */
export type ImageConfig = {
  User: string
  Env: string[]
  Entrypoint: string[]
  Cmd: string[]
  WorkingDir: string
  StopSignal: string
  Healthcheck: { Test: string[] }
}

export type Container = Awaited<ReturnType<typeof startContainer>>

type Options = {
  root: string
  config: ImageConfig
  environment: Record<string, string>
  /** Files in /run/secrets, readable by the image's user only. */
  secrets?: Record<string, string>
  /** A folder of this machine that is writable at /data. */
  volume?: string | undefined
  /** Where this run keeps the files of its containers. */
  folder: string
}

/** The mounts of an engine for a read-only container without a tmpfs: only /dev/shm, and /data if given, are writable. */
const MOUNTS = `
mount --bind "$ROOT" "$ROOT"
mount -t proc proc "$ROOT/proc"
mount -t tmpfs -o mode=755 tmpfs "$ROOT/dev"
for device in null zero full random urandom; do touch "$ROOT/dev/$device"; mount --bind "/dev/$device" "$ROOT/dev/$device"; done
ln -s /proc/self/fd "$ROOT/dev/fd"
mkdir "$ROOT/dev/shm"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$ROOT/dev/shm"
mount -t tmpfs -o mode=755 tmpfs "$ROOT/run"
mkdir "$ROOT/run/secrets"
mount --bind "$SECRETS" "$ROOT/run/secrets"
if [ -n "$VOLUME" ]; then mount --bind "$VOLUME" "$ROOT/data"; fi
mount -o remount,ro "$ROOT/run"
mount -o remount,ro,bind "$ROOT/run/secrets"
mount -o remount,ro,bind "$ROOT"
exec chroot "$ROOT" "$@"
`

/** How long engines should wait (docs/deployment.md#how-long-a-shutdown-takes). */
const STOP_TIMEOUT_MS = 120_000

let started = 0
const running = new Set<ChildProcess>()

/**
 * Runs the image as an engine would: with a read-only root, as its user, without capabilities, as process 1 of a separate pid
 * namespace. It shares the network of this machine.
 */
export async function startContainer(options: Options) {
  const { root, config, environment, secrets = {}, volume = '', folder } = options
  const [uid = '', gid = ''] = config.User.split(':')
  started += 1
  const secretFolder = path.join(folder, `secrets-${started}`)
  await mkdir(secretFolder)
  for (const [name, value] of Object.entries(secrets)) {
    const file = path.join(secretFolder, name)
    await writeFile(file, `${value}\n`, { mode: 0o400 })
    await run('chown', [`${uid}:${gid}`, file])
  }
  const settings = [...config.Env, ...Object.entries(environment).map(([name, value]) => `${name}=${value}`)]
  const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs']
  const inside = [...asUser, '--bounding-set=-all', '--inh-caps=-all']
  const environed = ['env', '--ignore-environment', `--chdir=${config.WorkingDir}`, ...settings]
  const program = [...inside, ...environed, ...config.Entrypoint, ...config.Cmd]
  const child = spawn('unshare', ['--mount', '--pid', '--fork', 'sh', '-euc', MOUNTS, 'container', ...program], {
    env: { PATH: process.env['PATH'], ROOT: root, SECRETS: secretFolder, VOLUME: volume },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let written = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (written += text))
  running.add(child)
  const ended = once(child, 'close').then(([code, signal]) => {
    running.delete(child)
    return (signal ?? code) as number | string
  })

  /** Runs another process in it, such as a command. Resolves with its stdout; rejects if it fails. */
  const exec = async (...command: readonly string[]): Promise<string> => {
    const target = ['nsenter', `--target=${await firstProcess(child)}`, '--mount', '--pid', '--root', '--wd']
    const [program = '', ...args] = [...target, ...inside, ...environed, ...command]
    return (await run(program, args, { env: { PATH: process.env['PATH'] } })).stdout
  }
  /** Sends SIGKILL to process 1, whose end ends all others, such as the embedded PostgreSQL. */
  const kill = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) process.kill(await firstProcess(child), 'SIGKILL')
    await ended
  }
  return {
    written: () => written,
    /** Exit code or signal. */
    ended,
    exec,
    doorcode: (...args: readonly string[]) => exec(...config.Entrypoint, ...args),
    /** Sends the image's stop signal. Resolves with the exit code and the time that the stop took. */
    async stop(): Promise<{ ended: number | string; ms: number }> {
      const from = performance.now()
      process.kill(await firstProcess(child), config.StopSignal)
      const hasEnded = ended.then(() => undefined)
      if (!(await withTimeout(STOP_TIMEOUT_MS, hasEnded))) await kill()
      return { ended: await ended, ms: performance.now() - from }
    },
    kill,
  }
}

/** Process 1 of the container, as this machine numbers it. */
const firstProcess = (child: ChildProcess): Promise<number> =>
  waitFor('the container’s first process', () => findFirstProcess(child))

function findFirstProcess({ pid }: ChildProcess): number | undefined {
  try {
    return Number.parseInt(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

/** An interrupted run must leave no container behind. */
process.on('exit', () => {
  for (const child of running) {
    const first = findFirstProcess(child)
    if (first !== undefined) process.kill(first, 'SIGKILL')
  }
})
