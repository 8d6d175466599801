import type { Sql } from '../../lib/db/pool.ts'
import { listLiveNodes } from '../../runtime/jobs/node.ts'
import type { Seal } from '../../lib/seal.ts'
import { findInstance } from './instance.ts'
import { type UnreadableTexts, readTexts } from './reseal.ts'

export type SecretsStatus = UnreadableTexts & {
  /** The known keys, newest first. `texts`: how many stored texts only this key opens. */
  keys: { key: string; inUse: boolean; texts: number }[]
  /** Former keys under which texts may still be sealed. */
  oldKeys: string[]
  nodes: { nodeId: string; roles: string[]; version: string; knows: readonly string[]; uses: string }[]
}

/** Opens every sealed text once. Changes nothing. */
export async function findSecretsStatus({ db, seal }: { db: Sql; seal: Seal }): Promise<SecretsStatus> {
  const counts = new Map<string, number>()
  const unreadable = await readTexts(db, seal, (_text, { fingerprint }) => {
    counts.set(fingerprint, (counts.get(fingerprint) ?? 0) + 1)
  })
  const keys = seal.keys.map((key) => ({
    key: key.fingerprint,
    inUse: key === seal.current(),
    texts: counts.get(key.fingerprint) ?? 0,
  }))
  const nodes = (await listLiveNodes(db)).map(({ id, roles, version, keys }) => ({
    nodeId: id,
    roles,
    version,
    knows: keys.known,
    uses: keys.current,
  }))
  return { keys, oldKeys: (await findInstance(db))?.oldKeys ?? [], ...unreadable, nodes }
}
