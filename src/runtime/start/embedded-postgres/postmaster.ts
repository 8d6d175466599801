import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { chown, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { StartupError, systemCodeOf } from '../../../lib/errors.ts'
import type { Binaries } from './binaries.ts'
import { type Cluster, postgresEnvironment } from './cluster.ts'
import type { SystemUser } from './system-user.ts'

const run = promisify(execFile)

type Postmaster = { pid: number; socketFolder: string | undefined }

/** Returns undefined if none runs on this data directory. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const postmaster = await readPidFile(pidFileIn(data))
  return postmaster && (await isPostgres(postmaster.pid)) ? postmaster : undefined
}

const pidFileIn = (data: string): string => path.join(data, 'postmaster.pid')

/** The lock file of the socket begins with the same lines. */
async function readPidFile(file: string): Promise<Postmaster | undefined> {
  const text = await readFile(file, 'utf8').catch(({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ENOENT') return ''
    throw new StartupError(
      `${file} cannot be read (${message}), so it is unknown whether PostgreSQL runs. Start Doorcode as the user who owns the folder, and check its disk.`,
    )
  })
  const lines = text.split('\n')
  const pid = Number(lines[0])
  return pid > 0 ? { pid, socketFolder: lines[4] || undefined } : undefined
}

/** A dead server's pid may belong to another program, or to a zombie in a container without an init. */
async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return /\(postgres\) [^ZX]/.test(text)
  }
  const answer = await run('ps', ['-o', 'stat=,comm=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return /^[^ZX\s]\S*\s.*postgres/.test(answer.stdout.trim())
}

/**
 * PostgreSQL handles stale files except in two cases, in which it does not start: the pid belongs to another process or
 * a zombie, or a machine crash left the file empty or broken. The caller holds the folder's lock and has found no
 * postmaster.
 */
export async function removeStalePidFiles({ data, socketFolder }: Cluster): Promise<void> {
  for (const file of [pidFileIn(data), path.join(socketFolder, '.s.PGSQL.5432.lock')]) {
    const postmaster = await readPidFile(file)
    if (!postmaster || isAlive(postmaster.pid)) await rm(file, { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return systemCodeOf(error) === 'EPERM'
  }
}

/** Enough for one node on a small machine. Larger installations use their own PostgreSQL. */
const SETTINGS = {
  listen_addresses: '',
  max_connections: '200',
  shared_buffers: '128MB',
  min_wal_size: '128MB',
  max_wal_size: '1GB',
  random_page_cost: '1.1',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  huge_pages: 'off',
  // By default in /dev/shm, which is missing or too small in some containers. PostgreSQL needs System V anyway, for its lock.
  ...(process.platform === 'linux' && { dynamic_shared_memory_type: 'sysv' }),
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Starts, stops and crashes. Doorcode logs errors itself, without the rows that they quote.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  checkpoint_warning: '0',
}

/** Of tests, which also plant forgotten prepared transactions. */
const NOT_DURABLE = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_prepared_transactions: '4',
}

/** Returns the started process, which may still end before it is ready. */
export async function launchPostmaster(
  cluster: Cluster,
  binaries: Binaries,
  user: SystemUser | undefined,
): Promise<ChildProcess> {
  const settings = {
    ...SETTINGS,
    ...(cluster.durable ? {} : NOT_DURABLE),
    unix_socket_directories: `"${cluster.socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
  const options = Object.entries(settings).map(([name, value]) => `--${name}=${value}`)
  const log = await openLog(cluster.log, user)
  try {
    // PostgreSQL runs in a session of its own: Ctrl-C must reach only Doorcode, which stops the server last.
    const server = spawn(binaries.postgres, ['-D', cluster.data, '-p', '5432', ...options], {
      uid: user?.uid,
      gid: user?.gid,
      cwd: cluster.data,
      env: postgresEnvironment,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    server.once('error', () => {}) // it has no pid then
    server.unref()
    return server
  } finally {
    await log.close()
  }
}

const MAX_LOG_BYTES = 1024 * 1024

async function openLog(file: string, user: SystemUser | undefined) {
  const size = (await stat(file).catch(() => undefined))?.size ?? 0
  if (size > MAX_LOG_BYTES) await rename(file, `${file}.1`)
  const log = await open(file, 'a', 0o600)
  if (user) await chown(file, user.uid, user.gid)
  return log
}

const TAIL_CHARACTERS = 600

export async function readLogTail(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.slice(-TAIL_CHARACTERS).trim() || `see ${file}`
}

export const STOP_TIMEOUT_MS = 60_000
const CHECK_EVERY_MS = 10

/**
 * Fast shutdown: ends sessions and writes a checkpoint, so that the next start needs no recovery. The server removes its
 * pid file shortly before it ends, so this waits for the process.
 */
export async function stopPostmaster(data: string): Promise<void> {
  const postmaster = await findPostmaster(data)
  if (!postmaster) return
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (Date.now() < deadline) {
    if (!(await isPostgres(postmaster.pid))) return
    await wait(CHECK_EVERY_MS)
  }
  throw new Error(
    `The embedded PostgreSQL (process ${postmaster.pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s.`,
  )
}

/** Without its pid file, which was deleted with the data. It ends all sessions immediately and writes nothing more. */
export async function quitPostmaster(pid: number): Promise<void> {
  const deadline = Date.now() + STOP_TIMEOUT_MS
  if (await isPostgres(pid)) process.kill(pid, 'SIGQUIT')
  while ((await isPostgres(pid)) && Date.now() < deadline) await wait(CHECK_EVERY_MS)
}
