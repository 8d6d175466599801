import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'
import type { Debian, MemberName } from './configuration.ts'

export type Scenario = {
  name: string
  title: string
  /** Longest allowed time without a 202: the median, if the scenario runs several times. */
  maxGapMs: Readonly<Record<Debian, number>>
  /** How often it runs. */
  times?: number
  /** Whether commits wait for a standby, so that nothing may be lost. */
  isSynchronous: boolean
  /** Runs under load. Resolves when all members are healthy again, with what only an operator could repair. */
  run(cluster: Cluster): Promise<string | undefined>
}

const onBoth = (ms: number): Scenario['maxGapMs'] => ({ 12: ms, 13: ms })

/** In a switchover, Patroni 4 gives the standbys a second to catch up before it releases the lock. */
const MAX_SWITCHOVER_MS = { 12: 3_000, 13: 6_000 }
/** When its Patroni stops, it notices only once a second that PostgreSQL has stopped. */
const MAX_RESTART_MS = onBoth(5_000)
/** wal_sender_timeout, twice Patroni's loop_wait and the request that waits meanwhile. */
const MAX_STANDBY_LOST_MS = onBoth(6_000)
/** The ttl of deploy/ha/patroni.yml, the promotion, and the requests that wait for it. */
const MAX_FAILOVER_MS = 30_000
/** Neither the primary changes nor what commits wait for: 0.1 s on an idle machine, and 2.6 s on a busy one. */
const MAX_WITHOUT_ETCD_MS = onBoth(6_000)
/** Commits wait for the standby that is cut off, the first requests time out, and a claim is left without an answer. */
const CUT_MS = 5_000
/** Longer than the ttl: another member becomes the primary meanwhile. */
const LASTS_MS = 30_000
/** Longer than the guide lets an operator wait before the key is removed, and than a former primary needs to follow. */
const STALE_KEY_MS = 75_000
/** Many rounds of Patroni's loop_wait: then every member has read a changed setting. */
const SETTING_READ_MS = 10_000
/** How long asynchronous commits reach no standby. They write less than Patroni's maximum_lag_on_failover of 1 MB. */
const UNREPLICATED_MS = 500

/** Breaks the cluster; resolves when what it broke may heal. */
type Failure = (cluster: Cluster) => Promise<unknown>

const LASTS = `for ${LASTS_MS / 1_000} s`

const FAILURES: readonly (Omit<Scenario, 'isSynchronous' | 'run'> & { fail: Failure })[] = [
  {
    name: 'switchover',
    title: 'planned switchover: patronictl switchover',
    maxGapMs: MAX_SWITCHOVER_MS,
    times: 3,
    fail: (cluster) => cluster.switchover(),
  },
  {
    name: 'restart',
    title: 'restart of the primary’s Patroni',
    maxGapMs: MAX_RESTART_MS,
    times: 3,
    fail: async (cluster) => cluster.restart(await primaryOf(cluster)),
  },
  {
    name: 'crash',
    title: 'kill -9 of the primary and its Patroni',
    maxGapMs: onBoth(MAX_FAILOVER_MS),
    fail: crashAndRejoin,
  },
  {
    name: 'cut',
    title: `replication to both standbys stopped for ${CUT_MS / 1_000} s, then kill -9`,
    maxGapMs: onBoth(MAX_FAILOVER_MS + CUT_MS),
    async fail(cluster) {
      await cluster.cutStreams()
      await wait(CUT_MS)
      await crashAndRejoin(cluster)
    },
  },
  {
    name: 'freeze',
    title: `SIGSTOP of the primary’s PostgreSQL and Patroni ${LASTS}`,
    maxGapMs: onBoth(MAX_FAILOVER_MS),
    fail: freezePrimary(['patroni', 'postgres']),
  },
  {
    name: 'freeze-postgres',
    title: `SIGSTOP of the primary’s PostgreSQL ${LASTS}`,
    maxGapMs: onBoth(MAX_FAILOVER_MS),
    fail: freezePrimary(['postgres']),
  },
  {
    name: 'freeze-patroni',
    title: `SIGSTOP of the primary’s Patroni ${LASTS}`,
    maxGapMs: onBoth(MAX_FAILOVER_MS),
    fail: freezePrimary(['patroni']),
  },
  {
    name: 'standby-lost',
    title: `the synchronous standby’s machine disappears ${LASTS}`,
    maxGapMs: MAX_STANDBY_LOST_MS,
    times: 3,
    fail: async (cluster) => lasting(await cluster.lose(await cluster.synchronousStandby())),
  },
  {
    name: 'primary-lost',
    title: 'the primary’s machine disappears',
    maxGapMs: onBoth(MAX_FAILOVER_MS),
    fail: replacePrimary((cluster, former) => cluster.lose(former)),
  },
  {
    name: 'one-way',
    title: 'the primary hears no other member, and they hear it',
    maxGapMs: onBoth(MAX_FAILOVER_MS),
    fail: replacePrimary((cluster, former) => cluster.deafen(former)),
  },
  {
    name: 'etcd',
    title: `etcd without a majority ${LASTS}`,
    maxGapMs: MAX_WITHOUT_ETCD_MS,
    fail: async (cluster) => lasting(await cluster.crashEtcd()),
  },
]

export const scenarios = FAILURES.map(
  ({ fail, ...scenario }): Scenario => ({
    ...scenario,
    isSynchronous: true,
    async run(cluster) {
      await fail(cluster)
      return heal(cluster)
    },
  }),
)

export const control: Scenario = {
  name: 'control',
  title: `control without synchronous_mode: replication stopped for ${UNREPLICATED_MS / 1_000} s, then kill -9`,
  maxGapMs: onBoth(MAX_FAILOVER_MS),
  isSynchronous: false,
  async run(cluster) {
    await wait(SETTING_READ_MS)
    await cluster.cutStreams()
    await wait(UNREPLICATED_MS)
    await crash(cluster)
    return undefined
  },
}

/** The crashed member stays down until another member is the primary, as after the loss of a machine. */
async function crash(cluster: Cluster): Promise<MemberName> {
  const former = await primaryOf(cluster)
  await cluster.crash(former)
  await cluster.waitForOtherPrimary(former)
  return former
}

async function crashAndRejoin(cluster: Cluster): Promise<void> {
  await cluster.revive(await crash(cluster))
}

async function lasting(end: () => Promise<void>): Promise<void> {
  await wait(LASTS_MS)
  await end()
}

/** Ends when another member is the primary. */
function replacePrimary(begin: (cluster: Cluster, former: MemberName) => Promise<() => Promise<void>>): Failure {
  return async (cluster) => {
    const former = await primaryOf(cluster)
    const end = await begin(cluster, former)
    await cluster.waitForOtherPrimary(former)
    await end()
  }
}

function freezePrimary(parts: Parameters<Cluster['freeze']>[1]): Failure {
  return async (cluster) => {
    const former = await primaryOf(cluster)
    const thaw = await cluster.freeze(former, parts)
    try {
      await wait(LASTS_MS)
      if ((await cluster.primary()) === former) throw new Error('no other member became the primary')
    } finally {
      thaw()
    }
  }
}

/** The members must become healthy without help. If they do not, the run fails, but first repairs them to go on. */
async function heal(cluster: Cluster): Promise<string | undefined> {
  if (cluster.debian !== 12) {
    await cluster.waitUntilHealthy()
    return undefined
  }
  // Patroni 3.0.2: an update that a freeze interrupted may write the former primary into the key of synchronous replication.
  const unhealthy = await cluster.waitUntilHealthy(STALE_KEY_MS).then(() => undefined, String)
  if (unhealthy === undefined) return undefined
  await cluster.removeSyncKey()
  await cluster.waitUntilHealthy()
  return `the members became healthy only after the key of synchronous replication was removed, as the guide describes: ${unhealthy}`
}

async function primaryOf(cluster: Cluster): Promise<MemberName> {
  const name = await cluster.primary()
  if (!name) throw new Error('the cluster has no primary')
  return name
}
