import { type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { type Seal, type SealingKey, createSeal, createSealingKey, keyOf, newSignInSecret } from '../../lib/seal.ts'
import { UserError } from '../../lib/errors.ts'

/** The row `instance`: both texts are sealed under the key in use. */
export type SealedInstance = { keyCheck: Buffer; signInSecret: Buffer }

export type Instance = SealedInstance & { oldKeys: string[] }

const CHECK_TEXT = 'doorcode'
const CHECK_CONTEXT = 'instance.key_check'
const SIGN_IN_CONTEXT = 'instance.sign_in_secret'

const COLUMNS = 'key_check as "keyCheck", sign_in_secret as "signInSecret", old_keys as "oldKeys"'

const selectInstance: Statement<Instance> = statement('find_instance', `select ${COLUMNS} from instance`)

export const findInstance = (sql: Sql): Promise<Instance | undefined> => sql.row(selectInstance)

const insertInstance = statement(
  'insert_instance',
  'insert into instance (key_check, sign_in_secret) values ($1, $2) on conflict do nothing',
)

/** `keys`: newest first. A new database takes the newest. Returns undefined if none of them is the key of the database. */
export async function openInstance(db: Sql, keys: readonly Buffer[]): Promise<Seal | undefined> {
  const sealingKeys = keys.map(createSealingKey)
  const instance = (await findInstance(db)) ?? (await createInstance(db, sealingKeys))
  const key = keyOf(sealingKeys, instance.keyCheck, CHECK_CONTEXT)
  if (!key) return undefined
  const signInSecret = key.open(instance.signInSecret, SIGN_IN_CONTEXT)
  return signInSecret === undefined ? undefined : createSeal(sealingKeys, { key, signInSecret })
}

/** The fingerprints whose key is not known. */
export const missingKeys = (
  fingerprints: readonly string[],
  known: readonly Pick<SealingKey, 'fingerprint'>[],
): string[] => fingerprints.filter((each) => !known.some(({ fingerprint }) => fingerprint === each))

/** Former keys that rows may still need and that are not known: a rotation is not finished. */
export const findMissingKeys = async (sql: Sql, { keys }: Pick<Seal, 'keys'>): Promise<string[]> =>
  missingKeys((await findInstance(sql))?.oldKeys ?? [], keys)

/** Finds the key of the database that has this key_check. */
export const findInstanceKey = (keys: readonly Buffer[], keyCheck: Buffer): SealingKey | undefined =>
  keyOf(keys.map(createSealingKey), keyCheck, CHECK_CONTEXT)

/** Several processes may start at the same time; one of them creates the row. */
async function createInstance(db: Sql, [newest]: readonly SealingKey[]): Promise<Instance> {
  if (newest) await db.rows(insertInstance, sealInstance(newest, newSignInSecret()))
  const instance = await findInstance(db)
  if (!instance) throw new Error('the row of the instance is missing')
  return instance
}

/** The first two columns of the row. */
const sealInstance = (key: SealingKey, signInSecret: string): [Buffer, Buffer] => [
  key.close(CHECK_TEXT, CHECK_CONTEXT),
  key.close(signInSecret, SIGN_IN_CONTEXT),
]

/** Adopts the state of the database. Returns false if its key is not known. */
export function followInstance(seal: Seal, { keyCheck, signInSecret }: SealedInstance): boolean {
  const key = keyOf(seal.keys, keyCheck, CHECK_CONTEXT)
  if (!key) return false
  seal.use({ key, signInSecret: key.open(signInSecret, SIGN_IN_CONTEXT) ?? seal.signInSecret() })
  return true
}

const shareInstance: Statement<Instance> = statement('share_instance', `select ${COLUMNS} from instance for share`)

/**
 * The key to seal what this transaction stores. Until it commits, no rotation can replace the key, so a finished rotation
 * has seen every stored secret. Codes are the exception: accepting them takes no lock. The statement that stores them compares
 * `instance.key_check` instead, and a rotation waits for those that compared it before the switch (`waitForWriters`).
 */
export async function lockSealingKey(tx: Sql, seal: Seal): Promise<SealingKey> {
  const instance = await tx.row(shareInstance)
  if (!instance || !followInstance(seal, instance)) throw keyChanged()
  return seal.current()
}

const keyChanged = (): UserError => new UserError({ code: 'secrets.key_changed' }, 'SERVICE_UNAVAILABLE')

/**
 * Finds the key of a `key_check` that a statement has read, and remembers the last one. Undefined if this process does not know
 * the key.
 */
export function createKeyFinder(seal: Pick<Seal, 'keys'>): (keyCheck: Buffer) => SealingKey | undefined {
  let last: { keyCheck: Buffer; key: SealingKey | undefined } | undefined
  return (keyCheck) => {
    if (!last?.keyCheck.equals(keyCheck)) last = { keyCheck, key: keyOf(seal.keys, keyCheck, CHECK_CONTEXT) }
    return last.key
  }
}

const lockRow: Statement<Instance> = statement('lock_instance', `select ${COLUMNS} from instance for update`)

/** Locks the row and adopts its state. */
export async function lockInstance(tx: Sql, seal: Seal): Promise<Instance> {
  const instance = await tx.row(lockRow)
  if (!instance || !followInstance(seal, instance)) throw keyChanged()
  return instance
}

const update = statement('update_instance', 'update instance set key_check = $1, sign_in_secret = $2, old_keys = $3')

/** The transaction must have locked the row. */
export async function writeInstance(
  tx: Sql,
  { key, signInSecret, oldKeys }: { key: SealingKey; signInSecret: string; oldKeys: readonly string[] },
): Promise<void> {
  await tx.rows(update, [...sealInstance(key, signInSecret), oldKeys])
}
