import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Debian } from './configuration.ts'
import { canRun, findProgram } from '../../test/programs/program.ts'

export type Programs = {
  patroni: string
  patronictl: string
  etcd: string
  haproxy: string
  postgresFolder: string
  debian: Debian
}

/** PostgreSQL does not run as root. */
export type User = { uid: number; gid: number }

const POSTGRES_VERSIONS = '/usr/lib/postgresql'
const MIN_POSTGRES_VERSION = 15

/** Debian's package of each program. */
const PACKAGES = {
  patroni: 'patroni',
  patronictl: 'patroni',
  etcd: 'etcd-server',
  haproxy: 'haproxy',
  ip: 'iproute2',
  nft: 'nftables',
  nsenter: 'util-linux',
} as const

/** Patroni depends on it or on the client of another store. */
const PYTHON_ETCD = '/usr/lib/python3/dist-packages/etcd'

export class Missing extends Error {}

/** Throws Missing, with all that is missing at once. */
export async function findPrograms(): Promise<Programs> {
  if (process.platform !== 'linux')
    throw new Missing('npm run ha needs Linux: it gives each machine a network namespace.')
  const found = new Map<string, string>()
  const missing = new Set<string>()
  for (const [name, debian] of Object.entries(PACKAGES)) {
    const file = findProgram(name)
    if (file === undefined) missing.add(debian)
    else found.set(name, file)
  }
  if (!existsSync(PYTHON_ETCD)) missing.add('python3-etcd')
  const postgresFolder = await findPostgres()
  if (postgresFolder === undefined) missing.add('postgresql')
  if (missing.size > 0 || postgresFolder === undefined)
    throw new Missing(
      `npm run ha needs packages that are not installed: ${[...missing].join(', ')}. Install them with "apt-get install --no-install-recommends ${[...missing].join(' ')}"; their services need not run.`,
    )
  const program = (name: keyof typeof PACKAGES): string => found.get(name) ?? name
  return {
    patroni: program('patroni'),
    patronictl: program('patronictl'),
    etcd: program('etcd'),
    haproxy: program('haproxy'),
    postgresFolder,
    debian: await findDebian(program('patroni')),
  }
}

/** Quorum commit came with Patroni 4. */
const MIN_QUORUM_VERSION = 4

async function findDebian(patroni: string): Promise<Debian> {
  const { stdout } = await promisify(execFile)(patroni, ['--version'])
  const major = Number(/(\d+)\./.exec(stdout)?.[1])
  return major >= MIN_QUORUM_VERSION ? 13 : 12
}

/** The newest version that Doorcode supports. */
async function findPostgres(): Promise<string | undefined> {
  const versions = (await readdir(POSTGRES_VERSIONS).catch(() => []))
    .map(Number)
    .filter((version) => version >= MIN_POSTGRES_VERSION)
  for (const version of versions.toSorted((one, other) => other - one)) {
    const folder = path.join(POSTGRES_VERSIONS, String(version), 'bin')
    if (['postgres', 'pg_rewind'].every((name) => canRun(path.join(folder, name)))) return folder
  }
  return undefined
}

/** Root starts the members as the user of Debian's PostgreSQL. Undefined if they run as the current user. */
export async function findUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (flag: string): Promise<number> =>
    Number((await promisify(execFile)('id', [flag, 'postgres'])).stdout.trim())
  try {
    return { uid: await idOf('-u'), gid: await idOf('-g') }
  } catch {
    throw new Missing(
      'npm run ha, as root, runs PostgreSQL as the user "postgres", which does not exist. Create this user, or start npm run ha as another user.',
    )
  }
}
