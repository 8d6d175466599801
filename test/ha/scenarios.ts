import { setTimeout as wait } from 'node:timers/promises'
import type { Cluster } from './cluster.ts'

export type Scenario = {
  name: string
  title: string
  /** Longest allowed time without a 202; undefined: no limit. */
  maxGapMs: number | undefined
  isSynchronous: boolean
  /** Runs under load. Resolves when all members are healthy again. */
  run(cluster: Cluster): Promise<void>
}

const MAX_SWITCHOVER_MS = 3_000
/** When its Patroni stops, it notices only once a second that PostgreSQL has stopped. */
const MAX_RESTART_MS = 5_000
/** Commits wait for the standby that is cut off, the first requests time out, and a claim is left without an answer. */
const CUT_MS = 5_000
/** Longer than the ttl of deploy/ha/patroni.yml: another member becomes the primary meanwhile. */
const FROZEN_MS = 30_000
/** Far longer than the members need to follow a new primary. */
const STALE_KEY_MS = 30_000
/** Longer than the ttl too. */
const WITHOUT_ETCD_MS = 30_000
/** Many rounds of Patroni's loop_wait: then every member has read a changed setting. */
const SETTING_READ_MS = 10_000
/** How long asynchronous commits reach no standby. */
const UNREPLICATED_MS = 1_500

/** The crashed member stays down until another member is the primary, as after the loss of a machine. */
async function crash(cluster: Cluster): Promise<Parameters<Cluster['crash']>[0]> {
  const former = await primaryOf(cluster)
  await cluster.crash(former)
  await cluster.waitForOtherPrimary(former)
  return former
}

async function crashAndRejoin(cluster: Cluster): Promise<void> {
  await cluster.revive(await crash(cluster))
  await cluster.waitUntilHealthy()
}

export const scenarios: readonly Scenario[] = [
  {
    name: 'switchover',
    title: 'planned switchover: patronictl switchover',
    maxGapMs: MAX_SWITCHOVER_MS,
    isSynchronous: true,
    async run(cluster) {
      await cluster.switchover()
      await cluster.waitUntilHealthy()
    },
  },
  {
    name: 'restart',
    title: 'restart of the primary’s Patroni',
    maxGapMs: MAX_RESTART_MS,
    isSynchronous: true,
    async run(cluster) {
      await cluster.restart(await primaryOf(cluster))
      await cluster.waitUntilHealthy()
    },
  },
  {
    name: 'crash',
    title: 'kill -9 of the primary and its Patroni',
    maxGapMs: undefined,
    isSynchronous: true,
    run: crashAndRejoin,
  },
  {
    name: 'cut',
    title: `replication to both standbys stopped for ${CUT_MS / 1_000} s, then kill -9`,
    maxGapMs: undefined,
    isSynchronous: true,
    async run(cluster) {
      await cluster.cutStreams()
      await wait(CUT_MS)
      await crashAndRejoin(cluster)
    },
  },
  {
    name: 'freeze',
    title: `SIGSTOP of the primary and its Patroni for ${FROZEN_MS / 1_000} s`,
    maxGapMs: undefined,
    isSynchronous: true,
    async run(cluster) {
      const former = await primaryOf(cluster)
      const thaw = await cluster.freeze(former)
      try {
        await wait(FROZEN_MS)
        if ((await cluster.primary()) === former) throw new Error('no other member became the primary')
      } finally {
        thaw()
      }
      // Patroni 3.0.2: an update that the freeze interrupted may write the former primary into the key of synchronous replication.
      await cluster.waitUntilHealthy(STALE_KEY_MS).catch(async () => {
        console.log(
          'the former primary overwrote the key of synchronous replication; this run removes it, as the guide describes',
        )
        await cluster.removeSyncKey()
        await cluster.waitUntilHealthy()
      })
    },
  },
  {
    name: 'etcd',
    title: `etcd without a majority for ${WITHOUT_ETCD_MS / 1_000} s`,
    maxGapMs: undefined,
    isSynchronous: true,
    async run(cluster) {
      const restore = await cluster.crashEtcd()
      await wait(WITHOUT_ETCD_MS)
      await restore()
      await cluster.waitUntilHealthy()
    },
  },
]

export const control: Scenario = {
  name: 'control',
  title: `control without synchronous_mode: replication stopped for ${UNREPLICATED_MS / 1_000} s, then kill -9`,
  maxGapMs: undefined,
  isSynchronous: false,
  async run(cluster) {
    await wait(SETTING_READ_MS)
    await cluster.cutStreams()
    await wait(UNREPLICATED_MS)
    await crash(cluster)
  },
}

async function primaryOf(cluster: Cluster): Promise<Parameters<Cluster['crash']>[0]> {
  const name = await cluster.primary()
  if (!name) throw new Error('the cluster has no primary')
  return name
}
