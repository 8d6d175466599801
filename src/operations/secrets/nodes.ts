import { setTimeout as wait } from 'node:timers/promises'
import type { Sql } from '../../lib/db/pool.ts'
import { type LiveNode, type NodeKeys, listLiveNodes } from '../../runtime/jobs/node.ts'
import type { Seal, SealingKey } from '../../lib/seal.ts'
import { StartupError, UserError } from '../../lib/errors.ts'
import { type SealedInstance, followInstance } from './instance.ts'

/**
 * What the heartbeat of a node reports, and how the node notices that the key of the database was replaced. `lost` aborts, with
 * a StartupError, if the node does not know the new key: other nodes may be unable to open what it seals from then on.
 */
export function createNodeKeys(seal: Seal): NodeKeys & { lost: AbortSignal } {
  const ending = new AbortController()
  let seen: SealedInstance | undefined
  const hasSeen = ({ keyCheck, signInSecret }: SealedInstance): boolean =>
    seen !== undefined && seen.keyCheck.equals(keyCheck) && seen.signInSecret.equals(signInSecret)
  return {
    lost: ending.signal,
    report: () => ({ known: seal.keys.map(({ fingerprint }) => fingerprint), current: seal.current().fingerprint }),
    follow(instance) {
      if (hasSeen(instance)) return
      seen = instance
      if (!followInstance(seal, instance)) ending.abort(new StartupError(KEY_LOST))
    },
  }
}

const KEY_LOST =
  'The instance key of the database was replaced by one that this node does not know, so the node has stopped. Put the new key before the old one, in DOORCODE_SECRET_KEY or in the file instance-key of the data folder, and start Doorcode again.'

/** A node that does not know the key could not read what is sealed again. */
export async function assertNodesKnow(sql: Sql, key: SealingKey): Promise<void> {
  const lacking = (await listLiveNodes(sql)).find(({ keys }) => !keys.known.includes(key.fingerprint))
  if (lacking) throw nodeLacksKey(lacking, key)
}

function nodeLacksKey({ id, roles, version }: LiveNode, { fingerprint }: SealingKey): UserError {
  return new UserError({
    code: 'secrets.node_lacks_key',
    nodeId: id,
    roles: roles.join(', '),
    version,
    key: fingerprint,
  })
}

/** A former key that a running node knows is not lost. */
export async function assertNodesLack(sql: Sql, fingerprints: readonly string[]): Promise<void> {
  if (fingerprints.length === 0) return
  for (const { id, roles, keys } of await listLiveNodes(sql)) {
    const known = keys.known.find((each) => fingerprints.includes(each))
    if (known !== undefined)
      throw new UserError({ code: 'secrets.node_knows_key', nodeId: id, roles: roles.join(', '), key: known })
  }
}

/** Heartbeats come every second; a node that cannot reach the database is dead after about 11 seconds. */
const MAX_FOLLOW_MS = 20_000
const POLL_MS = 100

/** Waits until every running node seals with the key. */
export async function waitForNodes(sql: Sql, key: SealingKey): Promise<void> {
  const deadline = performance.now() + MAX_FOLLOW_MS
  for (;;) {
    await assertNodesKnow(sql, key)
    const behind = (await listLiveNodes(sql)).find(({ keys }) => keys.current !== key.fingerprint)
    if (!behind) return
    if (performance.now() > deadline) throw new UserError({ code: 'secrets.node_behind', nodeId: behind.id })
    await wait(POLL_MS)
  }
}
