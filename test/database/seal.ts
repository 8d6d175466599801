import assert from 'node:assert/strict'
import type { Db } from '../../src/lib/db/pool.ts'
import type { Seal } from '../../src/lib/seal.ts'
import { openInstance } from '../../src/operations/secrets/instance.ts'

/** The same for all nodes of a run. */
export const INSTANCE_KEY = Buffer.alloc(32, 7)

/** The seal of a test's database, which is made with this key. */
export async function openTestSeal(db: Db, keys: readonly Buffer[] = [INSTANCE_KEY]): Promise<Seal> {
  const seal = await openInstance(db, keys)
  assert.ok(seal, 'another key is the key of the database')
  return seal
}
