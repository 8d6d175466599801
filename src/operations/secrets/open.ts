import { type Db, type Sql, statement } from '../../lib/db/pool.ts'
import { StartupError, UserError } from '../../lib/errors.ts'
import { type Seal, createSealingKey, newInstanceKey } from '../../lib/seal.ts'
import { findInstance, findMissingKeys, openInstance } from './instance.ts'
import { type KeyConfig, createKeyFile, findInstanceKeys, instanceKeyFile, throwMissingKey } from './key-file.ts'

/**
 * The instance keys come from DOORCODE_SECRET_KEY, or else from the data folder, where the first is created. Throws
 * StartupError if none of them is the key of the database.
 */
export async function openSeal(config: KeyConfig, db: Db): Promise<Seal> {
  const file = instanceKeyFile(config.dataDir)
  const instance = await findInstance(db) // before the file, which another first start creates before this row
  const keys =
    (await findInstanceKeys(config)) ??
    (instance ? throwMissingKey(file) : await createKeyFile(file, [newInstanceKey()]))
  return (
    (await openInstance(db, keys)) ??
    throwWrongKey(db, { source: config.secretKeys ? 'DOORCODE_SECRET_KEY' : file, keys })
  )
}

/** For reading only: creates no key. Returns undefined if the database has none yet. Throws StartupError like openSeal. */
export const findSeal = async (config: KeyConfig, db: Db): Promise<Seal | undefined> =>
  (await findInstance(db)) && openSeal(config, db)

/** `fault` begins a sentence that "the instance key of …" continues; `configured` is a sentence of its own. */
export function describeWrongKeys(source: string, keys: readonly Buffer[]) {
  const fingerprints = keys.map((key) => createSealingKey(key).fingerprint)
  const named = fingerprints.join(', ')
  return keys.length === 1
    ? { fingerprints, fault: `${source} is not`, configured: `The configured key has the fingerprint ${named}` }
    : {
        fingerprints,
        fault: `None of the ${keys.length} keys in ${source} is`,
        configured: `The configured keys have the fingerprints ${named}`,
      }
}

const MAX_LISTED_ROTATIONS = 1_000

/** The rotations in the audit log, newest first. Older entries may have been removed. */
const selectRotations = statement<{ before: string | null; after: string }>(
  'list_key_rotations',
  `select before ->> 'key' as before, target as after from audit_log
   where workspace_id is null and action = 'secrets.rotated' order by id desc limit ${MAX_LISTED_ROTATIONS}`,
)

/** The database does not name its key: only the audit log has the fingerprint, if a rotation replaced the first key. */
async function throwWrongKey(db: Sql, { source, keys }: { source: string; keys: readonly Buffer[] }): Promise<never> {
  const { fingerprints, fault, configured } = describeWrongKeys(source, keys)
  const used = (await db.row(selectRotations))?.after
  const needed = (await findInstance(db))?.oldKeys ?? []
  const fix =
    used === undefined
      ? `. Start with the key that the database was created with.`
      : `; the database uses the key with fingerprint ${used}. ${
          needed.some((each) => fingerprints.includes(each))
            ? 'Put that key before the configured one, which the unfinished rotation still needs.'
            : 'Start with that key.'
        }`
  throw new StartupError(
    `${fault} the instance key of this database, so its codes, tokens and secrets cannot be decrypted. ${configured}${fix}`,
  )
}

/**
 * Checks before a node serves: without a key that rows still need, it would fail their messages and stop their accounts. Throws
 * StartupError.
 */
export async function assertOldKeysKnown(sql: Sql, seal: Seal): Promise<void> {
  const missing = await findMissingKeys(sql, seal)
  if (missing.length === 0) return
  throw new StartupError(
    `A rotation of the instance key is not finished: some tokens, secrets or codes may still be encrypted with the former key with fingerprint ${missing.join(', ')}, which is not configured. Add that key after the new one, start, and run “doorcode secrets rotate”. If it is lost, run “doorcode secrets rotate --accept-unreadable” first: it lists what cannot be read.`,
  )
}

/**
 * Called before a rotation ends without a new key. A key that was never in use is probably the new one in the wrong position:
 * the operator must not believe that a leaked key was replaced. Throws UserError.
 */
export async function assertNoNewKeyBehind(sql: Sql, seal: Seal): Promise<void> {
  const { fingerprint: key } = seal.current()
  const { oldKeys = [] } = (await findInstance(sql)) ?? {}
  if (oldKeys.length > 0) return // this run finishes a rotation, which has its new key
  const former = new Set((await sql.rows(selectRotations)).map(({ before }) => before))
  const unused = seal.keys.map(({ fingerprint }) => fingerprint).filter((each) => each !== key && !former.has(each))
  if (unused.length > 0) throw new UserError({ code: 'secrets.not_rotated', key, unused: unused.join(', ') })
}
