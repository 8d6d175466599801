import assert from 'node:assert/strict'
import type { Db } from '../../src/lib/db/pool.ts'
import { type ShownDifference, type Verification, verify } from '../../src/operations/verify/verify.ts'
import type { World } from './world.ts'

type Verified = Pick<World, 'parts' | 'workspaceId'>

/** `doorcode verify` of the workspace. */
export const check = (
  { parts, workspaceId }: Verified,
  { db = parts.db, maxBatch = 500 }: { db?: Db; maxBatch?: number } = {},
): Promise<Verification> => verify({ ...parts, db }, { workspaceId, secondLookMs: 1, maxBatch })

/** It finds no difference, except those that the test made by hand. */
export async function assertVerified(
  world: Verified,
  isByHand: (difference: ShownDifference) => boolean = () => false,
): Promise<void> {
  const { differences } = await check(world)
  assert.deepEqual(
    differences.shown.filter((each) => !isByHand(each)),
    [],
  )
}
