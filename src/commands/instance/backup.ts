import path from 'node:path'
import { makeBackup } from '../../backup/backup.ts'
import { restoreBackup } from '../../backup/restore.ts'
import { COMMAND_RETRY_BUDGET_MS } from '../../start/open.ts'
import { findInstanceKeys } from '../../start/instance-key.ts'
import { type Command, type Input, InputError, command } from '../command.ts'
import { argument, flag, optional, required } from '../inputs.ts'
import { readText } from '../json-file.ts'

const file = (description: string): Input<string> =>
  required('file', description, (text) => {
    if (text === '') throw new InputError('must not be empty')
    return text
  })

/** Against guessing: an attacker who has the file can try without limit. */
const MIN_PASSPHRASE = 12
/** A longer text is probably the wrong file. */
const MAX_PASSPHRASE = 1_024

/** Read once, when the command runs; `-` is standard input. The error never quotes the passphrase. */
const passphrase = (description: string): Input<string> =>
  required('file', description, async (name) => {
    const text = (await readText(name)).replace(/\r?\n$/, '')
    const { length } = Array.from(text)
    if (length < MIN_PASSPHRASE || length > MAX_PASSPHRASE || /\p{Cc}/u.test(text))
      throw new InputError(`must contain one line of ${MIN_PASSPHRASE} to ${MAX_PASSPHRASE} characters`)
    return text
  })

export const backup = command({
  words: 'backup',
  needsDatabase: true,
  example: '/backups/doorcode.backup',
  summary: 'Write the database and the instance key to one file, even while Doorcode runs.',
  options: {
    file: argument(file('The new file.')),
    passphraseFile: optional(passphrase('Encrypt the backup with the passphrase in this file; "-" is standard input.')),
    withoutKey: flag('Leave the instance key out. A backup cannot be restored without it.'),
    force: flag('Replace the file if it exists.'),
  },
  async run({ db, clock, config }, { file, passphraseFile, withoutKey, force }, record) {
    const created = { containsKey: !withoutKey, encrypted: passphraseFile !== undefined }
    const keys = withoutKey ? [] : ((await findInstanceKeys(config)) ?? [])
    const createdAt = clock.now()
    const result = await untilSignal((signal) =>
      makeBackup(db, {
        file,
        replace: force,
        keys,
        passphrase: passphraseFile,
        createdAt,
        signal,
        // Before anything is read, as for an export.
        begin: () =>
          db.transaction((tx) =>
            record(tx, {
              workspaceId: null,
              action: 'instance.backup_started',
              target: path.basename(file),
              after: created,
            }),
          ),
      }),
    )
    return { ...result, ...created }
  },
  format: ({ file, bytes, tables, rows, containsKey, encrypted }) =>
    [
      `${file} contains ${rows} rows of ${tables} tables (${formatSize(bytes)}).`,
      containsKey
        ? encrypted
          ? 'It contains the instance key, and can be opened only with the passphrase.'
          : 'Warning: it contains the instance key and is not encrypted. Anyone who has this file can read everything and send messages in your name. Keep it as safe as the key, or use --passphrase-file.'
        : 'It does not contain the instance key: keep the key in another place. The backup cannot be restored without it.',
    ].join('\n'),
})

export const restore: Command = {
  words: 'restore',
  example: '/backups/doorcode.backup',
  summary: 'Load a backup into an empty database: a new data folder, or that of DATABASE_URL.',
  options: {
    file: argument(file('The file that "backup" made.')),
    passphraseFile: optional(passphrase('The file with the passphrase of the backup; "-" is standard input.')),
    keyFile: optional(file('With DATABASE_URL: the new file for the instance key that is in the backup.')),
  },
  work: {
    on: 'empty-database',
    async run(config, values) {
      const { file, passphraseFile, keyFile } = values as Record<string, string | undefined>
      const result = await untilSignal((signal) =>
        restoreBackup(config, {
          file: file ?? '',
          passphrase: passphraseFile,
          keyFile,
          at: new Date(),
          timeoutMs: COMMAND_RETRY_BUDGET_MS,
          signal,
        }),
      )
      return { result, text: formatRestored(result, config.databaseUrl !== undefined) }
    },
  },
}

const formatRestored = (
  { file, createdAt, tables, rows, keyFile }: Awaited<ReturnType<typeof restoreBackup>>,
  isOwnDatabase: boolean,
): string =>
  [
    `${file} of ${createdAt} was restored: ${rows} rows of ${tables} tables.`,
    ...(keyFile === null
      ? []
      : [
          isOwnDatabase
            ? `The instance key is in ${keyFile}: set DOORCODE_SECRET_KEY to its content, then keep the file as safe as a password or delete it.`
            : `The instance key is in ${keyFile}.`,
        ]),
    'Start Doorcode now. Everyone must sign in to the dashboard again.',
  ].join('\n')

const formatSize = (bytes: number): string => {
  const format = (value: number, unit: string) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`
  return bytes < 1e6 ? format(bytes / 1e3, 'kB') : bytes < 1e9 ? format(bytes / 1e6, 'MB') : format(bytes / 1e9, 'GB')
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** The first signal interrupts the work cleanly; a second one ends the process. */
async function untilSignal<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const ending = new AbortController()
  const end = (): void => ending.abort()
  for (const each of SIGNALS) process.once(each, end)
  try {
    return await work(ending.signal)
  } finally {
    for (const each of SIGNALS) process.off(each, end)
  }
}
