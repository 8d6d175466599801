import { setTimeout as wait } from 'node:timers/promises'
import { JOIN_PREPARED } from '../../lib/db/open-transaction.ts'
import { type Db, type Sql, statement } from '../../lib/db/pool.ts'
import type { Seal, SealingKey } from '../../lib/seal.ts'
import { UserError } from '../../lib/errors.ts'
import { findMissingKeys, lockInstance, missingKeys, writeInstance } from './instance.ts'
import { assertNodesKnow, assertNodesLack, waitForNodes } from './nodes.ts'
import { type UnreadableTexts, readTexts } from './reseal.ts'

type RotateParts = { db: Db; seal: Seal }

/** Throws if the process has no key. */
export function newestKey({ keys }: Pick<Seal, 'keys'>): SealingKey {
  const [newest] = keys
  if (!newest) throw new Error('there is no key')
  return newest
}

/**
 * Makes the newest known key the key of the database, with which every node then seals. False if it already is.
 * `record` runs in the same transaction. Throws UserError if a running node does not know the key.
 */
export async function switchKey(
  { db, seal }: RotateParts,
  record: (tx: Sql, change: { before: string; after: string }) => Promise<void>,
): Promise<boolean> {
  const newest = newestKey(seal)
  await assertNodesKnow(db, newest)
  const switched = await db.transaction(async (tx) => {
    const { oldKeys } = await lockInstance(tx, seal)
    const { fingerprint: before } = seal.current()
    const { fingerprint: after } = newest
    if (before === after) return false
    const old = [...new Set([...oldKeys, before])].filter((each) => each !== after)
    await writeInstance(tx, { key: newest, signInSecret: seal.signInSecret(), oldKeys: old })
    await record(tx, { before, after })
    return true
  })
  seal.use({ key: newest, signInSecret: seal.signInSecret() })
  return switched
}

const MAX_PASSES = 10
const PASS_INTERVAL_MS = 500

export type ResealResult = UnreadableTexts & {
  /** How many texts were sealed again, by column. */
  resealed: Readonly<Record<string, number>>
  /** Former keys that are not known and may be needed for what is unreadable. */
  missingKeys: readonly string[]
}

type ResealOptions = {
  /** Texts that no known key opens may stay unreadable. */
  acceptUnreadable: boolean
  /** Runs in the transaction that ends the rotation, if it changed something. */
  record: (tx: Sql, after: { resealed: number }) => Promise<void>
  signal?: AbortSignal
  maxWriteMs?: number
}

/**
 * Seals everything under the key of the database, while nodes serve. Ends when a whole pass finds nothing under another
 * key; repeated after an interruption, it finishes. Throws UserError if a row stays locked, a node lags behind, or
 * `acceptUnreadable` would give up what a running node can read.
 */
export async function resealAll(parts: RotateParts, options: ResealOptions): Promise<ResealResult> {
  const { signal } = options
  const run = { key: parts.seal.current(), resealed: {} }
  try {
    return await resealInPasses(parts, options, run)
  } catch (error) {
    if (!signal?.aborted) throw error
    const progress = { key: run.key.fingerprint, resealed: countOf(run.resealed) }
    throw new UserError({ code: 'secrets.interrupted', ...progress }, 'SERVICE_UNAVAILABLE')
  }
}

type ResealProgress = { key: SealingKey; resealed: Record<string, number> }

const countOf = (resealed: ResealProgress['resealed']): number =>
  Object.values(resealed).reduce((sum, each) => sum + each, 0)

async function resealInPasses(parts: RotateParts, options: ResealOptions, run: ResealProgress): Promise<ResealResult> {
  const { acceptUnreadable, signal } = options
  if (acceptUnreadable) await assertNodesLack(parts.db, await findMissingKeys(parts.db, parts.seal))
  await waitForNodes(parts.db, run.key)
  await waitForWriters(parts.db, options)
  for (let passes = 1; ; passes += 1) {
    const pass = await resealOnce(parts, run)
    if (pass.left === 0) return finish(parts, { ...options, ...run, ...pass })
    if (passes === MAX_PASSES) throw new UserError({ code: 'secrets.rows_left', count: pass.left })
    await wait(PASS_INTERVAL_MS, undefined, { signal })
  }
}

/**
 * Every transaction that holds a lock to write messages. A statement that stores a code reads the key of the database after
 * it has this lock, and keeps the lock until others can see the code. `name`: the pid, or the gid of a prepared
 * transaction, which keeps the virtual id of its session until the server starts again.
 */
const selectWriters = statement<{ id: string; name: string }>(
  'list_transactions_that_write_messages',
  `select distinct l.virtualtransaction as id, coalesce(l.pid::text, p.gid, l.virtualtransaction) as name
   from pg_locks l ${JOIN_PREPARED}
   where l.locktype = 'relation' and l.granted and l.relation = 'messages'::regclass
     and l.database = (select oid from pg_database where datname = current_database())
     and l.mode in ('RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`,
)

/** Far longer than any transaction of Doorcode. */
const MAX_WRITE_MS = 20_000
const WRITERS_POLL_MS = 100

/**
 * Waits until every transaction that wrote messages at the call has ended. Called after the key was replaced: from then on all
 * codes under the old key can be seen, and no other one can be stored. Throws UserError if one does not end.
 */
async function waitForWriters(
  sql: Sql,
  { maxWriteMs = MAX_WRITE_MS, signal }: Pick<ResealOptions, 'maxWriteMs' | 'signal'>,
): Promise<void> {
  const deadline = performance.now() + maxWriteMs
  let left = await sql.rows(selectWriters)
  for (;;) {
    if (left.length === 0) return
    if (performance.now() > deadline)
      throw new UserError({ code: 'secrets.writers_left', sessions: left.map(({ name }) => name).join(', ') })
    await wait(WRITERS_POLL_MS, undefined, { signal })
    const writing = new Set((await sql.rows(selectWriters)).map(({ id }) => id))
    left = left.filter(({ id }) => writing.has(id))
  }
}

/** `left`: what was found under another known key, so that another pass must look again. */
async function resealOnce({ db, seal }: RotateParts, { key, resealed }: ResealProgress) {
  let left = 0
  const unreadable = await readTexts(db, seal, async (text, under) => {
    if (under === key) return
    left += 1
    if (await text.replace(key)) resealed[text.column] = (resealed[text.column] ?? 0) + 1
  })
  return { left, ...unreadable }
}

type Finish = ResealProgress & UnreadableTexts & Pick<ResealOptions, 'acceptUnreadable' | 'record'>

/** From here on no former key is needed, except the keys of unreadable texts. */
async function finish(
  { db, seal }: RotateParts,
  { key, resealed, unreadable, unreadableCount, acceptUnreadable, record }: Finish,
): Promise<ResealResult> {
  const stillMissing = await db.transaction(async (tx) => {
    const { oldKeys } = await lockInstance(tx, seal)
    if (seal.current() !== key) throw new UserError({ code: 'secrets.rotated_meanwhile' }, 'SERVICE_UNAVAILABLE')
    const unknown = unreadableCount === 0 ? [] : missingKeys(oldKeys, seal.keys)
    if (acceptUnreadable) await assertNodesLack(tx, unknown) // a node may have started since
    const missing = acceptUnreadable ? [] : unknown
    const count = countOf(resealed)
    if (count === 0 && missing.length === oldKeys.length) return missing
    await writeInstance(tx, { key, signInSecret: seal.signInSecret(), oldKeys: missing })
    await record(tx, { resealed: count })
    return missing
  })
  return { resealed, unreadable, unreadableCount, missingKeys: stillMissing }
}
