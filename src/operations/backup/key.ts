import { access, constants, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Config } from '../../lib/config.ts'
import { findInstanceKey, missingKeys } from '../secrets/instance.ts'
import { createSealingKey } from '../../lib/seal.ts'
import { findInstanceKeys, instanceKeyFile, replaceInstanceKeys, textOfKeys } from '../secrets/key-file.ts'
import { describeWrongKeys } from '../secrets/open.ts'
import { writeNewFile } from '../../runtime/start/new-file.ts'
import { backupError } from './format.ts'

type KeyOptions = {
  file: string
  keyFile: string | undefined
  /** Empty: the backup does not contain the instance key. */
  containedKeys: readonly Buffer[]
  /** `instance.key_check` of the backup. */
  keyCheck: Buffer
  keyFingerprint: string | undefined
  /** Fingerprints of former keys that its unfinished rotation needs. */
  oldKeys: readonly string[]
}

type ChosenKey = {
  /** Stores the key where the next start finds it. */
  write: () => Promise<void>
  /** Where that is. Null: the key is there already. */
  file: string | null
  /** Those of the old keys that the restored instance will not have. */
  missingKeys: string[]
}

/** The key for the restored database. Throws UserError if there is none. */
export async function chooseKey(config: Config, options: KeyOptions): Promise<ChosenKey> {
  const { file, keyFile, containedKeys, keyCheck, keyFingerprint, oldKeys } = options
  const isEmbedded = config.databaseUrl === undefined
  if (keyFile !== undefined && (isEmbedded || config.secretKeys || containedKeys.length === 0))
    throw backupError(
      '--key-file is only for restoring a backup that contains the instance key into DATABASE_URL, when DOORCODE_SECRET_KEY is not set. Leave it out.',
    )
  const { secretKeys, dataDir } = config
  const notIn = (keys: readonly Buffer[]): string[] => missingKeys(oldKeys, keys.map(createSealingKey))
  const defaultFile = instanceKeyFile(dataDir)
  if (!secretKeys && containedKeys.length > 0) {
    const chosen = { missingKeys: notIn(containedKeys) }
    if (isEmbedded) return { ...chosen, write: () => replaceInstanceKeys(dataDir, containedKeys), file: defaultFile }
    if (keyFile === undefined)
      throw backupError(
        `${file} contains the instance key. Set DOORCODE_SECRET_KEY to the same key, or name a new file for it with --key-file.`,
      )
    return { ...chosen, ...(await chooseFile(path.resolve(keyFile), containedKeys)) }
  }
  const present = isEmbedded ? await findInstanceKeys(config) : secretKeys
  if (!present)
    throw backupError(
      `${file} does not contain the instance key${
        keyFingerprint === undefined ? '' : `, which has the fingerprint ${keyFingerprint}`
      }. Set DOORCODE_SECRET_KEY to it${isEmbedded ? `, or copy the file "instance-key" of the installation to ${defaultFile}` : ''}.`,
    )
  if (!findInstanceKey(present, keyCheck)) {
    const { fault, configured } = describeWrongKeys(secretKeys ? 'DOORCODE_SECRET_KEY' : defaultFile, present)
    const needed = keyFingerprint === undefined ? '' : `; the backup needs the key with fingerprint ${keyFingerprint}`
    throw backupError(
      `${fault} the instance key of ${file}. ${configured}${needed}. ${
        containedKeys.length > 0
          ? 'Leave DOORCODE_SECRET_KEY unset: the backup contains its key.'
          : 'Use the key of the installation that made the backup.'
      }`,
    )
  }
  const missing = notIn(present)
  const lost = notIn(containedKeys)
  const dropped = missing.filter((each) => !lost.includes(each))
  if (dropped.length > 0)
    throw backupError(
      `${file} was made before a rotation of its instance key was finished. Some tokens, secrets or codes may still be encrypted with the former key with fingerprint ${dropped.join(', ')}, which the backup contains and DOORCODE_SECRET_KEY does not. Add that key after the new one, or leave DOORCODE_SECRET_KEY unset${
        isEmbedded ? '' : ' and name a new file for the keys of the backup with --key-file'
      }.`,
    )
  return { write: async () => {}, file: null, missingKeys: missing }
}

/** An interrupted restore may have written it. */
async function chooseFile(file: string, keys: readonly Buffer[]): Promise<Omit<ChosenKey, 'missingKeys'>> {
  const present = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw backupError(`${file} cannot be read (${error.code}). Name another file with --key-file.`)
  })
  const text = textOfKeys(keys)
  if (present !== undefined && present !== text)
    throw backupError(`${file} already exists. Name a new file with --key-file.`)
  // Before hours of loading.
  await access(path.dirname(file), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw backupError(`${file} cannot be written (${error.code}). Name another file with --key-file.`)
  })
  const write = async (): Promise<void> => {
    if (present === undefined) await writeNewFile(file, {}, (output) => output.writeFile(text))
  }
  return { write, file }
}
