import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findProgram, freePort } from '../programs/program.ts'
import { withConnection } from '../database/postgres.ts'
import { waitFor } from '../world/wait-for.ts'

/** Returns undefined if it is not installed. */
export const PGBOUNCER = findProgram('pgbouncer')

type PgBouncerOptions = {
  poolMode: 'session' | 'transaction' | 'statement'
  /** Further lines of the section [pgbouncer]. */
  settings?: Readonly<Record<string, string>>
}

/** A PgBouncer in front of the server of `databaseUrl`. */
export async function startPgBouncer(databaseUrl: string, { poolMode, settings = {} }: PgBouncerOptions) {
  if (!PGBOUNCER) throw new Error('pgbouncer is not installed')
  const { searchParams, username, pathname, port: upstreamPort } = new URL(databaseUrl)
  const socketFolder = searchParams.get('host') ?? ''
  const port = await freePort()
  const folder = await mkdtemp(path.join(tmpdir(), 'doorcode-pgbouncer-'))
  const file = path.join(folder, 'pgbouncer.ini')
  const lines = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'any',
    pool_mode: poolMode,
    max_client_conn: 200,
    default_pool_size: 60,
    unix_socket_dir: '',
    ...settings,
  }
  const upstream = `* = host=${socketFolder} port=${upstreamPort || 5432} user=${username}`
  const configure = (changed: object): Promise<void> => {
    const section = Object.entries({ ...lines, ...changed }).map(([name, value]) => `${name} = ${value}`)
    return writeFile(file, ['[databases]', upstream, '[pgbouncer]', ...section, ''].join('\n'))
  }
  await configure({})
  // It does not run as root. The server's own user may use its socket.
  const owner = await stat(socketFolder)
  const identity = process.getuid?.() === 0 ? { uid: owner.uid, gid: owner.gid } : {}
  if (identity.uid !== undefined) {
    await chown(folder, owner.uid, owner.gid)
    await chmod(file, 0o644)
  }
  const child = spawn(PGBOUNCER, ['-q', file], { stdio: ['ignore', 'ignore', 'pipe'], ...identity })
  const printed = collect(child)
  const url = `postgres://${username}@127.0.0.1:${port}${pathname}`
  await waitFor(
    () => `PgBouncer to answer: ${printed()}`,
    () =>
      withConnection(url, (connection) => connection.query('select 1')).then(
        () => true,
        () => false,
      ),
  )
  return {
    url,
    /** As an operator does: changes the file, and lets PgBouncer read it again. */
    async setPoolMode(pool_mode: PgBouncerOptions['poolMode']): Promise<void> {
      await configure({ pool_mode })
      child.kill('SIGHUP')
    },
    async stop() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      await rm(folder, { recursive: true })
    },
  }
}

function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return () => text.slice(-1_000)
}
