import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, readFile, readlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import path from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { waitFor } from '../wait-for.ts'
import {
  BALANCER,
  DOORCODE_PASSWORD,
  MEMBERS,
  type MemberName,
  databaseScript,
  haproxyFile,
  patroniFile,
  readEnvironment,
} from './configuration.ts'
import { Missing, type Programs, type User } from './requirements.ts'
import { type Service, childrenOf, createService, signalAll } from './service.ts'

const READY_WITHIN_MS = 90_000
const PORTS = { etcd: 2_379, etcdPeer: 2_380, postgres: 5_432, patroni: 8_008 }

/** One machine: its etcd, its Patroni and PostgreSQL, which Patroni starts. */
type Machine = {
  name: MemberName
  address: string
  folder: string
  patroniConfig: string
  environment: Record<string, string>
  etcd: Service
  patroni: Service
}

/** A member as Patroni reports it. */
type ListedMember = { name: MemberName; role: string; state: string; timeline?: number; lag?: number | string }

export type Cluster = Awaited<ReturnType<typeof startCluster>>

type ClusterOptions = { folder: string; programs: Programs; user: User | undefined }

/** Three machines of deploy/ha, with a primary and its synchronous standby, and HAProxy in front. */
export async function startCluster({ folder, programs, user }: ClusterOptions) {
  await assertFree()
  await using opened = new AsyncDisposableStack()
  const machines: Machine[] = []
  for (const member of MEMBERS) machines.push(await makeMachine({ folder, programs, user }, member))
  opened.defer(() => end(machines))
  const haproxyConfig = path.join(folder, 'haproxy.cfg')
  await writeFile(haproxyConfig, await haproxyFile(user !== undefined))
  const haproxy = createService({
    program: programs.haproxy,
    args: ['-db', '-f', haproxyConfig],
    environment: {},
    logFile: path.join(folder, 'haproxy.log'),
    user: undefined,
  })
  opened.defer(() => haproxy.kill())

  for (const { etcd } of machines) await etcd.start()
  for (const { patroni } of machines) await patroni.start()
  await waitUntilHealthy()
  const script = await databaseScript()
  await onPrimary(async (sql) => {
    for (const command of script.split(';').filter((text) => /\S/.test(text))) await sql.query(command)
  })
  await haproxy.start()
  const databaseUrl = urlOf(BALANCER.host, BALANCER.port)
  await waitFor('HAProxy to reach the primary', () => canConnect(databaseUrl), READY_WITHIN_MS)

  const whenClosed = opened.move()
  return {
    /** Through HAProxy. */
    databaseUrl,
    /** Connects to one member directly, whatever its role. */
    memberUrl: (name: MemberName): string => urlOf(machine(name).address, PORTS.postgres),
    primary,
    standbys: async (): Promise<MemberName[]> =>
      (await members()).filter(({ role }) => role !== 'leader').map(({ name }) => name),
    onPrimary,
    waitUntilHealthy,
    waitForOtherPrimary,
    /** Follows the guide (docs/high-availability.md#rebuilding-a-member). */
    async removeSyncKey(): Promise<void> {
      const { address } = machine('pg1')
      const answer = await fetch(`http://${address}:${PORTS.etcd}/v2/keys/service/doorcode/sync`, { method: 'DELETE' })
      if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`)
    },
    /** Switches with Patroni's command to the synchronous standby, the only candidate that loses nothing. */
    async switchover(): Promise<void> {
      const listed = await members()
      const leader = listed.find(({ role }) => role === 'leader')?.name
      const candidate = listed.find(({ role }) => role === 'sync_standby')?.name
      if (!leader || !candidate) throw new Error('a switchover needs a primary and a synchronous standby')
      const { patroniConfig, environment } = machine(leader)
      const args = ['-c', patroniConfig, 'switchover', '--leader', leader, '--candidate', candidate, '--force']
      await promisify(execFile)(programs.patronictl, args, {
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', ...environment },
      })
    },
    /** Simulates a power cut: Patroni and all of PostgreSQL end at once. Patroni is not started again. */
    async crash(name: MemberName): Promise<void> {
      const { patroni } = machine(name)
      const pids = await postgresOf(name)
      await patroni.kill()
      signalAll(pids, 'SIGKILL')
      await waitFor('PostgreSQL to be gone', async () => (await Promise.all(pids.map(isGone))).every(Boolean))
    },
    /** Does what `systemctl restart patroni` does: PostgreSQL stops with it, and the synchronous standby takes over. */
    async restart(name: MemberName): Promise<void> {
      const { patroni } = machine(name)
      await patroni.end()
      await patroni.start()
    },
    revive: (name: MemberName): Promise<void> => machine(name).patroni.start(),
    /** Patroni and all of PostgreSQL: neither knows afterwards that time has passed. */
    async freeze(name: MemberName): Promise<() => void> {
      const pids = await postgresOf(name)
      const patroni = machine(name).patroni.pid()
      const all = patroni === undefined ? pids : [patroni, ...pids]
      signalAll(all, 'SIGSTOP')
      return () => signalAll(all, 'SIGCONT')
    },
    /** Nothing that the primary writes from now on reaches a standby. */
    cutStreams: (): Promise<void> =>
      onPrimary(async (sql) => {
        const { rows } = await sql.query<{ pid: number }>('select pid from pg_stat_replication')
        signalAll(
          rows.map(({ pid }) => pid),
          'SIGSTOP',
        )
      }),
    /** Stops two of three, so that no majority is left. */
    async crashEtcd(): Promise<() => Promise<void>> {
      const lost = machines.slice(0, 2).map(({ etcd }) => etcd)
      for (const etcd of lost) await etcd.kill()
      return async () => {
        for (const etcd of lost) await etcd.start()
      }
    },
    /** The control: commits do not wait for a standby, and a standby that lacks some may become the primary. */
    async makeAsynchronous(): Promise<void> {
      const settings = {
        synchronous_mode: false,
        synchronous_mode_strict: false,
        maximum_lag_on_failover: 1_000_000_000,
      }
      await patch(settings)
      await waitFor(
        'commits that wait for no standby',
        () =>
          onPrimary(async (sql) => {
            const { rows } = await sql.query<{ names: string }>(
              `select current_setting('synchronous_standby_names') as names`,
            )
            return rows[0]?.names === ''
          }),
        READY_WITHIN_MS,
      )
    },
    close: () => whenClosed.disposeAsync(),
  }

  function machine(name: MemberName): Machine {
    const found = machines.find((each) => each.name === name)
    if (!found) throw new Error(`no machine is named ${name}`)
    return found
  }

  /** The members as the first one that answers sees them; empty if none answers. */
  async function members(): Promise<ListedMember[]> {
    for (const { address } of machines) {
      const listed = await fetch(`http://${address}:${PORTS.patroni}/cluster`, { signal: AbortSignal.timeout(2_000) })
        .then(async (answer) => ((await answer.json()) as { members: ListedMember[] }).members)
        .catch(() => undefined)
      if (listed) return listed
    }
    return []
  }

  /** Finds the primary by the health check that HAProxy uses. */
  async function primary(): Promise<MemberName | undefined> {
    for (const { name, address } of machines) {
      const answer = await fetch(`http://${address}:${PORTS.patroni}/primary`, {
        signal: AbortSignal.timeout(2_000),
      }).catch(() => undefined)
      await answer?.body?.cancel()
      if (answer?.ok) return name
    }
    return undefined
  }

  async function waitUntilHealthy(withinMs = READY_WITHIN_MS): Promise<void> {
    let listed: ListedMember[] = []
    const isHealthy = async (): Promise<boolean> => {
      listed = await members()
      const runs = listed.length === MEMBERS.length && listed.every(({ state }) => /^(running|streaming)$/.test(state))
      const timelines = new Set(listed.map(({ timeline }) => timeline))
      const follows = listed.every(({ role, lag }) => role === 'leader' || lag === 0)
      const count = (wanted: string): number => listed.filter(({ role }) => role === wanted).length
      return runs && follows && timelines.size === 1 && count('leader') === 1 && count('sync_standby') === 1
    }
    const describe = (): string => `three healthy members; Patroni lists ${JSON.stringify(listed)}`
    await waitFor(describe, isHealthy, withinMs).catch(async (error: unknown) => {
      if (withinMs < READY_WITHIN_MS) throw error // the caller repairs the cluster
      for (const { name, patroni } of machines) console.log(`--- Patroni of ${name}:\n${await patroni.tail()}`)
      throw error
    })
  }

  async function waitForOtherPrimary(former: MemberName): Promise<MemberName> {
    return waitFor(
      'another primary',
      async () => {
        const name = await primary()
        return name !== former && name
      },
      READY_WITHIN_MS,
    )
  }

  async function onPrimary<Result>(work: (sql: Client) => Promise<Result>): Promise<Result> {
    const name = await waitFor('a primary', primary, READY_WITHIN_MS)
    const { address, environment } = machine(name)
    const sql = new Client({
      host: address,
      port: PORTS.postgres,
      user: environment['PATRONI_SUPERUSER_USERNAME'],
      password: environment['PATRONI_SUPERUSER_PASSWORD'],
      database: 'postgres',
    })
    sql.on('error', () => {})
    await sql.connect()
    try {
      return await work(sql)
    } finally {
      await sql.end()
    }
  }

  async function patch(settings: object): Promise<void> {
    const { address, environment } = machine(await waitFor('a primary', primary, READY_WITHIN_MS))
    const credentials = `${environment['PATRONI_RESTAPI_USERNAME']}:${environment['PATRONI_RESTAPI_PASSWORD']}`
    const answer = await fetch(`http://${address}:${PORTS.patroni}/config`, {
      method: 'PATCH',
      headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body: JSON.stringify(settings),
    })
    if (!answer.ok) throw new Error(`Patroni answered ${answer.status}: ${await answer.text()}`)
  }

  /** Signals the postmaster first, so that it starts no further processes while the others are signalled. */
  async function postgresOf(name: MemberName): Promise<number[]> {
    const data = path.join(machine(name).folder, 'data')
    const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')
    const postmaster = Number(text.split('\n')[0])
    // After a crash the file remains, and another process may have this pid.
    const isOurs = postmaster > 0 && (await readlink(`/proc/${postmaster}/cwd`).catch(() => '')) === data
    return isOurs ? [postmaster, ...(await childrenOf(postmaster))] : []
  }

  /** Patroni first: it would start PostgreSQL again. */
  async function end(all: readonly Machine[]): Promise<void> {
    for (const { name, patroni, etcd } of all) {
      await patroni.kill()
      const pids = await postgresOf(name)
      signalAll(pids, 'SIGKILL')
      await etcd.kill()
    }
  }
}

async function makeMachine(
  { folder: root, programs, user }: ClusterOptions,
  { name, address }: (typeof MEMBERS)[number],
): Promise<Machine> {
  const folder = path.join(root, name)
  const etcdFolder = path.join(folder, 'etcd')
  for (const each of [folder, etcdFolder]) {
    await mkdir(each, { mode: 0o700 })
    if (user) await chown(each, user.uid, user.gid)
  }
  const patroniConfig = path.join(root, `${name}.yml`)
  await writeFile(patroniConfig, await patroniFile({ folder, postgresFolder: programs.postgresFolder }))
  await chmod(patroniConfig, 0o644)
  const environment = await readEnvironment('patroni.env', name)
  const etcdEnvironment = { ...(await readEnvironment('etcd.env', name)), ETCD_DATA_DIR: path.join(etcdFolder, 'data') }
  const service = (program: string, args: readonly string[], its: Record<string, string>): Service => {
    const title = path.basename(program)
    return createService({
      program,
      args,
      environment: its,
      logFile: path.join(root, `${name}-${title}.log`),
      user,
    })
  }
  return {
    name,
    address,
    folder,
    patroniConfig,
    environment,
    etcd: service(programs.etcd, [], etcdEnvironment),
    patroni: service(programs.patroni, [patroniConfig], environment),
  }
}

const urlOf = (host: string, port: number): string =>
  `postgres://doorcode:${DOORCODE_PASSWORD}@${host}:${port}/doorcode`

async function canConnect(url: string): Promise<boolean> {
  const sql = new Client(url)
  sql.on('error', () => {})
  try {
    await sql.connect()
    await sql.end()
    return true
  } catch {
    return false
  }
}

const isGone = async (pid: number): Promise<boolean> => {
  const state = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return state === undefined || / Z /.test(state)
}

async function assertFree(): Promise<void> {
  const wanted = MEMBERS.flatMap(({ address }) => Object.values(PORTS).map((port) => ({ host: address, port })))
  for (const { host, port } of [BALANCER, ...wanted]) {
    const server = createServer()
    try {
      await once(server.listen({ host, port }), 'listening')
    } catch (error) {
      throw new Missing(
        `npm run ha needs ${host}:${port}, which is not free (${error instanceof Error ? error.message : String(error)}). Stop the program that listens there, such as another run or a service on all addresses.`,
      )
    }
    server.close()
    await once(server, 'close')
  }
}
