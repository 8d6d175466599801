import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { createSealingKey } from '../../src/lib/seal.ts'
import { resealAll, switchKey } from '../../src/operations/secrets/rotate.ts'
import { tables } from '../../src/operations/columns.ts'
import { findSecretsStatus } from '../../src/operations/secrets/status.ts'
import { runCommand } from './command-line.ts'
import { openPooledDb } from '../faults/connections.ts'
import { fileDatabase } from '../database/database.ts'
import { INSTANCE_KEY, openTestSeal } from '../database/seal.ts'
import { type SentOtp, type World, type WorldOptions, startWorld } from './world.ts'

/** All tests of a file share a database, whose key each of them replaces. */
export const inUse = { key: INSTANCE_KEY }

/** What a node is configured with. */
export const withKeys = (...keys: Buffer[]) => ({
  DOORCODE_SECRET_KEY: keys.map((each) => each.toString('base64')).join(','),
})

export const fingerprintOf = (each: Buffer): string => createSealingKey(each).fingerprint

/** A world on the current key whose nodes also know a new one. Codes wait: none of them is a worker. */
export async function startRotation(t: TestContext, options: WorldOptions & { nodesKnow?: 'both' | 'old' } = {}) {
  const [old, next] = [inUse.key, randomBytes(32)]
  const { nodesKnow = 'both', ...more } = options
  const settings = nodesKnow === 'both' ? withKeys(next, old) : withKeys(old)
  const first = await openPooledDb(await fileDatabase())
  await openTestSeal(first, [old]) // a new database would take the newest key
  await first.close()
  const world = await startWorld(t, { works: false, ...more, settings })
  const seal = await openTestSeal(world.parts.db, [next, old])
  const parts = { db: world.parts.db, seal }
  /** The first half of a rotation. */
  const begin = async (): Promise<void> => {
    await switchKey(parts, async () => {})
    inUse.key = next
  }
  const rotate = async () => {
    await begin()
    return resealAll(parts, ALL)
  }
  const command = (...words: string[]) =>
    runCommand(['secrets', ...words, '--json'], { DATABASE_URL: world.databaseUrl, ...withKeys(next, old) })
  return { world, seal, old, next, begin, rotate, command }
}

/** Options of resealAll. */
export const ALL = { acceptUnreadable: false, record: async () => {} }

/** Opens everything that the world has stored with only this key. */
export async function assertOpensWith(world: World, alone: Buffer): Promise<void> {
  const seal = await openTestSeal(world.parts.db, [alone])
  const { keys, unreadableCount, oldKeys } = await findSecretsStatus({ db: world.parts.db, seal })
  assert.equal(unreadableCount, 0)
  assert.deepEqual([keys.map((each) => each.inUse), oldKeys], [[true], []])
}

/** Whether this key opens the code of the message. */
export const openedBy = (
  each: Buffer,
  sealed: Buffer | undefined,
  { messageId }: Pick<SentOtp, 'messageId'>,
): boolean => createSealingKey(each).open(sealed ?? Buffer.of(), tables.messages.sealed.code(messageId)) !== undefined

/** What a command that failed says with --json. */
export function detailOf({ code, stderr }: { code: number; stderr: string }): string {
  assert.equal(code, 1)
  return (JSON.parse(stderr) as { detail: string }).detail
}
