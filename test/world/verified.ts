import assert from 'node:assert/strict'
import { type ShownDifference, verify } from '../../src/operations/verify/verify.ts'
import type { World } from './world.ts'

/** `doorcode verify` finds no difference in the workspace, except those that the test made by hand. */
export async function assertVerified(
  { parts, workspaceId }: Pick<World, 'parts' | 'workspaceId'>,
  isByHand: (difference: ShownDifference) => boolean = () => false,
): Promise<void> {
  const { differences } = await verify(parts, { workspaceId, secondLookMs: 1 })
  assert.deepEqual(
    differences.shown.filter((each) => !isByHand(each)),
    [],
  )
}
