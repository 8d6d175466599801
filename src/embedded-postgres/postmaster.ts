import { execFile, spawn } from 'node:child_process'
import { chown, open, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { CannotStart } from '../cannot-start.ts'
import { type Binaries, idsOf } from './binaries.ts'
import { type Cluster, postgresEnvironment } from './cluster.ts'
import type { SystemUser } from './system-user.ts'

const run = promisify(execFile)

/** PostgreSQL's first process, as it describes itself in the data directory. */
type Postmaster = { pid: number; socketFolder: string | undefined }

/** Undefined when none runs on this data directory. */
export async function findPostmaster(data: string): Promise<Postmaster | undefined> {
  const described = await readPidFile(data)
  return described && (await isPostgres(described.pid)) ? described : undefined
}

async function readPidFile(data: string): Promise<Postmaster | undefined> {
  const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  const pid = Number(lines[0])
  return pid > 0 ? { pid, socketFolder: lines[4] || undefined } : undefined
}

/** A dead server's process id may by now be another program's, or a zombie's in a container without an init. */
async function isPostgres(pid: number): Promise<boolean> {
  if (process.platform === 'linux') {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    return /\(postgres\) [^ZX]/.test(text)
  }
  const answer = await run('ps', ['-o', 'stat=,comm=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return /^[^ZX\s]\S*\s.*postgres/.test(answer.stdout.trim())
}

/**
 * PostgreSQL itself sees through its own stale file, except when another process has got the number: then it would
 * refuse to start for as long as that process lives.
 */
export async function forgetDeadPostmaster(data: string): Promise<void> {
  const described = await readPidFile(data)
  if (described && isAlive(described.pid)) await rm(path.join(data, 'postmaster.pid'), { force: true })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Enough for one node on a small machine; whoever needs more has a PostgreSQL of their own. */
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
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Starts, stops and crashes. Errors reach Doorcode, which logs them without the rows that they quote.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  checkpoint_warning: '0',
}

const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/** Time in which a server that cannot start says so and ends. */
const EARLY_END_MS = 300

export async function launchPostmaster(
  cluster: Cluster,
  binaries: Binaries,
  user: SystemUser | undefined,
): Promise<void> {
  const settings = {
    ...SETTINGS,
    ...(cluster.durable ? {} : NOT_DURABLE),
    unix_socket_directories: `"${cluster.socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
  }
  const command = [
    '-D',
    cluster.data,
    '-p',
    '5432',
    ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`),
  ]
  const log = await openLog(cluster.log, user)
  try {
    // Its own session: Ctrl-C is for Doorcode, which stops the server last.
    const server = spawn(binaries.postgres, command, {
      ...idsOf(user),
      cwd: cluster.data,
      env: postgresEnvironment,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    })
    const ended = new Promise<string>((resolve) => {
      server.once('error', (error) => resolve(error.message))
      server.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `code ${code}`}`))
    })
    server.unref()
    const early = await Promise.race([ended, untilDescribed(cluster.data, server.pid)])
    if (early) throw new CannotStart(`the embedded PostgreSQL did not start (${early}): ${await endOfLog(cluster.log)}`)
  } finally {
    await log.close()
  }
}

/** Resolves when the server has claimed its data directory, or has had the time to. */
async function untilDescribed(data: string, pid: number | undefined): Promise<undefined> {
  const deadline = Date.now() + EARLY_END_MS
  while (Date.now() < deadline) {
    if (pid !== undefined && (await readPidFile(data))?.pid === pid) return
    await wait(10)
  }
}

const LOG_MOST_BYTES = 1024 * 1024

async function openLog(file: string, user: SystemUser | undefined) {
  const size = (await stat(file).catch(() => undefined))?.size ?? 0
  if (size > LOG_MOST_BYTES) await rename(file, `${file}.1`)
  const log = await open(file, 'a', 0o600)
  if (user) await chown(file, user.uid, user.gid)
  return log
}

const TAIL_CHARACTERS = 600

export async function endOfLog(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.slice(-TAIL_CHARACTERS).trim() || `see ${file}`
}

const STOP_TIMEOUT_MS = 60_000
const CHECK_EVERY_MS = 10

/** A fast shutdown: ends what is open, writes a checkpoint, so that the next start has nothing to recover. */
export async function stopPostmaster(data: string): Promise<void> {
  const postmaster = await findPostmaster(data)
  if (!postmaster) return
  process.kill(postmaster.pid, 'SIGINT')
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while (Date.now() < deadline) {
    if ((await findPostmaster(data))?.pid !== postmaster.pid) return
    await wait(CHECK_EVERY_MS)
  }
  throw new Error(`the embedded PostgreSQL (process ${postmaster.pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s`)
}
