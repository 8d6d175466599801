import path from 'node:path'
import { asWritten } from '../../../locales/text.ts'
import { commit } from '../../admin/actions/action.ts'
import { makeBackup } from '../../operations/backup/backup.ts'
import { restoreBackup } from '../../operations/backup/restore.ts'
import { COMMAND_RETRY_BUDGET_MS } from '../../runtime/start/open.ts'
import { findInstanceKeys } from '../../operations/secrets/key-file.ts'
import { UserError } from '../../lib/errors.ts'
import { type Command, type Input, InputError, type SendData, command } from '../command.ts'
import { STANDARD_OUTPUT, argument, flag, nonEmpty, optional, required } from '../inputs.ts'
import { readText } from '../json-file.ts'

function requireSendData(sendData: SendData | undefined): SendData {
  if (sendData) return sendData
  throw new UserError(
    asWritten(
      'Standard output is a terminal. Send the backup to another program or to a file, as in "backup - | ssh …".',
    ),
  )
}

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

const backup = command({
  words: 'backup',
  example: '/backups/doorcode.backup',
  summary: 'Write the database and the instance key to one file, even while Doorcode runs.',
  options: {
    file: argument(nonEmpty('file', 'The new file; "-" is standard output, for another program.')),
    passphraseFile: optional(passphrase('Encrypt the backup with the passphrase in this file; "-" is standard input.')),
    withoutKey: flag('Leave the instance key out. The backup cannot be restored without the key.'),
    force: flag('Replace the file if it exists.'),
  },
  interruptedMessage:
    'The backup was interrupted, and no file was written. A copy that went to standard output is incomplete.',
  async run(operator, { file, passphraseFile, withoutKey, force }, { signal, sendData }) {
    const { db, clock, config } = operator
    const created = { containsKey: !withoutKey, encrypted: passphraseFile !== undefined }
    const result = await makeBackup(db, {
      target: file === STANDARD_OUTPUT ? { send: requireSendData(sendData) } : { file, replace: force },
      keys: (await findInstanceKeys(config)) ?? [],
      withoutKey,
      passphrase: passphraseFile,
      createdAt: clock.now(),
      signal,
      // Before anything is read, as for an export.
      begin: () =>
        commit(operator, null, (_tx, record) =>
          record({ action: 'instance.backup_started', target: path.basename(file), after: created }),
        ),
    })
    return { file, ...result, ...created }
  },
  resultToStderr: ({ file }) => file === STANDARD_OUTPUT,
  format: ({ file, bytes, tables, rows, containsKey, encrypted, missingKeys }) =>
    [
      `${file === STANDARD_OUTPUT ? 'The backup' : file} contains ${rows} rows of ${tables} tables (${formatSize(bytes)}).`,
      containsKey
        ? encrypted
          ? 'It contains the instance key, and can be opened only with the passphrase.'
          : 'Warning: it contains the instance key and is not encrypted. Anyone who has this file can read everything and send messages in your name. Keep it as safe as the key, or use --passphrase-file.'
        : 'It does not contain the instance key: keep the key in another place. The backup cannot be restored without it.',
      ...(missingKeys.length > 0
        ? [
            `Warning: a rotation of the instance key is not finished. Some tokens, secrets or codes may still be encrypted with the former key with fingerprint ${missingKeys.join(', ')}, which is not in the backup: keep that key too, or finish the rotation with “doorcode secrets rotate” and make another backup.`,
          ]
        : []),
    ].join('\n'),
})

export const restore: Command = {
  words: 'restore',
  example: '/backups/doorcode.backup',
  summary: 'Load a backup into an empty database: a new data folder, or that of DATABASE_URL.',
  options: {
    file: argument(nonEmpty('file', 'The file that "backup" made.')),
    passphraseFile: optional(passphrase('The file with the passphrase of the backup; "-" is standard input.')),
    keyFile: optional(nonEmpty('file', 'With DATABASE_URL: the new file for the instance key that is in the backup.')),
  },
  interruptedMessage: 'The restore was interrupted, and nothing was restored. Run the command again.',
  work: {
    on: 'empty-database',
    async run(config, values, { signal, resources, program }) {
      const { file = '', passphraseFile, keyFile } = values as Record<string, string | undefined>
      if (file === '-')
        throw new UserError(
          asWritten(
            'A restore reads the backup twice, so it cannot read standard input. Save the backup as a file first.',
          ),
        )
      const at = new Date()
      const budget = { timeoutMs: COMMAND_RETRY_BUDGET_MS, signal, resources }
      const result = await restoreBackup(config, { file, passphrase: passphraseFile, keyFile, at, ...budget })
      return { result, text: formatRestored(result, { isOwnDatabase: config.databaseUrl !== undefined, program }) }
    },
  },
}

const formatRestored = (
  {
    file,
    createdAt,
    repeatsMayDoubleFrom,
    tables,
    rows,
    keyFile,
    missingKeys,
  }: Awaited<ReturnType<typeof restoreBackup>>,
  { isOwnDatabase, program }: { isOwnDatabase: boolean; program: string },
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
    ...(missingKeys.length > 0
      ? [
          `Warning: a rotation of the instance key is not finished. Some tokens, secrets or codes may still be encrypted with the former key with fingerprint ${missingKeys.join(', ')}, which is neither in the backup nor configured. Add that key after the new one, start, and run "${program} secrets rotate". If it is lost, run "${program} secrets rotate --accept-unreadable" first: it lists what cannot be read.`,
        ]
      : []),
    `Requests that were accepted after ${repeatsMayDoubleFrom} are not in the backup: a repeat of one counts as new, even with the same idempotency key, so the customer may get a second message. Before you start, read docs/backup.md, section "Repeated requests".`,
    `Start Doorcode with "${program} serve" and the same settings, not with "npm start", which runs a demo. Everyone must sign in to the dashboard again.`,
  ].join('\n')

const formatSize = (bytes: number): string => {
  const format = (value: number, unit: string) => `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`
  return bytes < 1e6 ? format(bytes / 1e3, 'kB') : bytes < 1e9 ? format(bytes / 1e6, 'MB') : format(bytes / 1e9, 'GB')
}

export const backupCommands = [backup, restore]
