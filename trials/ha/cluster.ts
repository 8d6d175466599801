import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { waitFor } from '../../test/world/wait-for.ts'
import { BALANCER, DOORCODE_PASSWORD, MEMBERS, type MemberName, databaseScript, haproxyFile } from './configuration.ts'
import { type Freezable, type Machine, type MachineOptions, makeMachine } from './machine.ts'
import { openNetwork } from './network.ts'
import { createService, signalAll } from './service.ts'

const READY_WITHIN_MS = 90_000
const LOOK_MS = 200
const PORTS = { etcd: 2_379, postgres: 5_432, patroni: 8_008 }

/** The roles of standbys that a commit may wait for. */
const SYNCHRONOUS = new Set(['sync_standby', 'quorum_standby'])

/** A member as Patroni reports it. */
type ListedMember = { name: MemberName; role: string; state: string; timeline?: number; lag?: number | string }

export type Cluster = Awaited<ReturnType<typeof startCluster>>

/** Three machines of deploy/ha, with a primary and its synchronous standby, and HAProxy in front. */
export async function startCluster({ folder, programs, user }: MachineOptions) {
  await openNetwork()
  await using opened = new AsyncDisposableStack()
  const machines: Machine[] = []
  opened.defer(async () => void (await Promise.all(machines.map((each) => each.end()))))
  for (const member of MEMBERS) machines.push(await makeMachine({ folder, programs, user }, member))
  const haproxyConfig = path.join(folder, 'haproxy.cfg')
  await writeFile(haproxyConfig, await haproxyFile(user !== undefined))
  const haproxy = createService({
    program: programs.haproxy,
    args: ['-db', '-f', haproxyConfig],
    environment: {},
    logFile: path.join(folder, 'haproxy.log'),
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
    /** One that commits wait for: the synchronous standby, or with quorum commit any of the two. */
    async synchronousStandby(): Promise<MemberName> {
      const found = (await members()).find(({ role }) => SYNCHRONOUS.has(role))
      if (!found) throw new Error('the cluster has no synchronous standby')
      return found.name
    },
    onPrimary,
    waitUntilHealthy,
    waitForOtherPrimary,
    debian: programs.debian,
    /** Follows the guide (docs/high-availability.md#rebuilding-a-member), which needs it only on Debian 12. */
    async removeSyncKey(): Promise<void> {
      const { address } = machine('pg1')
      const answer = await fetch(`http://${address}:${PORTS.etcd}/v2/keys/service/doorcode/sync`, { method: 'DELETE' })
      if (!answer.ok) throw new Error(`etcd answered ${answer.status}: ${await answer.text()}`)
    },
    /** Switches with Patroni's command to the synchronous standby, the only candidate that loses nothing. */
    async switchover(): Promise<void> {
      const listed = await members()
      const leader = listed.find(({ role }) => role === 'leader')?.name
      const candidate = listed.find(({ role }) => SYNCHRONOUS.has(role))?.name
      if (!leader || !candidate) throw new Error('a switchover needs a primary and a synchronous standby')
      const { patroniConfig, environment } = machine(leader)
      const args = ['-c', patroniConfig, 'switchover', '--leader', leader, '--candidate', candidate, '--force']
      await promisify(execFile)(programs.patronictl, args, {
        env: { PATH: '/usr/bin:/bin', LC_ALL: 'C.UTF-8', ...environment },
      })
    },
    /** Simulates a crash of PostgreSQL and Patroni. Patroni is not started again. */
    crash: (name: MemberName): Promise<void> => machine(name).crash(),
    /** The machine is lost, and no connection to it is reset. Returns what brings it back. */
    async lose(name: MemberName): Promise<() => Promise<void>> {
      await machine(name).lose()
      return () => machine(name).restore()
    },
    /** The machine hears nothing from the other members, which hear it. Returns what ends this. */
    async deafen(name: MemberName): Promise<() => Promise<void>> {
      const others = machines.filter((each) => each.name !== name).map(({ address }) => address)
      const { link } = machine(name)
      await link.ignore(others)
      return () => link.heal()
    },
    /** Does what `systemctl restart patroni` does: PostgreSQL stops with it, and the synchronous standby takes over. */
    async restart(name: MemberName): Promise<void> {
      const { patroni } = machine(name)
      await patroni.end()
      await patroni.start()
    },
    revive: (name: MemberName): Promise<void> => machine(name).patroni.start(),
    freeze: (name: MemberName, parts: readonly Freezable[]): Promise<() => void> => machine(name).freeze(parts),
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
      await patch({ synchronous_mode: false, synchronous_mode_strict: false })
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

  /** The members as this one sees them; empty if it does not answer. */
  async function membersSeenBy({ address }: Machine): Promise<ListedMember[]> {
    return fetch(`http://${address}:${PORTS.patroni}/cluster`, { signal: AbortSignal.timeout(2_000) })
      .then(async (answer) => ((await answer.json()) as { members: ListedMember[] }).members)
      .catch(() => [])
  }

  /** The members as the primary sees them. */
  async function members(): Promise<ListedMember[]> {
    return membersSeenBy(machine(await waitFor('a primary', primary, READY_WITHIN_MS)))
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
    let views: ListedMember[][] = []
    // All must agree: the etcd of a member that was cut off still has what it was told before.
    const isHealthy = async (): Promise<boolean> => {
      views = await Promise.all(machines.map(membersSeenBy))
      const leaders = new Set(views.map((view) => view.find(({ role }) => role === 'leader')?.name))
      if (leaders.size === 1 && views.every(isHealthyView)) return true
      await wait(LOOK_MS) // each member reads etcd to answer
      return false
    }
    const describe = (): string => `three healthy members; Patroni lists ${JSON.stringify(views)}`
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
}

function isHealthyView(listed: readonly ListedMember[]): boolean {
  const count = (wanted: string): number => listed.filter(({ role }) => role === wanted).length
  return (
    listed.length === MEMBERS.length &&
    listed.every(({ role, state, lag }) => /^(running|streaming)$/.test(state) && (role === 'leader' || lag === 0)) &&
    new Set(listed.map(({ timeline }) => timeline)).size === 1 &&
    count('leader') === 1 &&
    (count('sync_standby') === 1 || count('quorum_standby') === MEMBERS.length - 1)
  )
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
