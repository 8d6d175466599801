import type { FileHandle } from 'node:fs/promises'
import { asWritten } from '../../locales/text.ts'
import { COMMAND_LINE } from '../admin/audit/audit.ts'
import { eraseRecipient } from '../operations/lifecycle/recipients/erase.ts'
import { type ExportedCounts, exportRecipient, exportText } from '../operations/lifecycle/recipients/export.ts'
import { ONE_RECIPIENT, countStored, findPerson } from '../operations/lifecycle/recipients/person.ts'
import { writeNewFile } from '../runtime/start/new-file.ts'
import { UserError } from '../lib/errors.ts'
import { blockRecipients, unblockRecipient } from '../workspaces/blocked.ts'
import { command } from './command.ts'
import { STANDARD_OUTPUT, flag, nonEmpty, optional, phone, workspace } from './inputs.ts'

const options = { workspace, phone: phone('The phone number of the recipient, such as +212612345678.') }

export const blockAdd = command({
  words: 'block add',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678',
  summary: 'Reject every request for a message to a recipient.',
  options,
  async run({ db, clock }, { workspace: workspaceId, phone }, record) {
    const changed = await db.transaction(async (tx) => {
      const recipients = [{ phone, reason: null }]
      const added = await blockRecipients({ db: tx, clock }, { workspaceId, by: COMMAND_LINE.who, recipients })
      if (added.length > 0)
        await record(tx, { workspaceId, action: 'recipient.blocked', target: phone, after: { reason: null } })
      return added.length > 0
    })
    return { workspaceId, phone, blocked: true, changed }
  },
  format: ({ phone, changed }) => `${phone} is ${changed ? 'now' : 'already'} blocked.`,
})

export const blockRemove = command({
  words: 'block remove',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678',
  summary: 'Allow messages to a blocked recipient again.',
  options,
  async run({ db }, { workspace: workspaceId, phone }, record) {
    const changed = await db.transaction(async (tx) => {
      const removed = await unblockRecipient(tx, { workspaceId, phone })
      if (!removed) return false
      const { reason, blockedBy, blockedAt } = removed
      const before = { reason, blockedBy, blockedAt }
      await record(tx, { workspaceId, action: 'recipient.unblocked', target: phone, before })
      return true
    })
    return { workspaceId, phone, blocked: false, changed }
  },
  format: ({ phone, changed }) => (changed ? `${phone} is no longer blocked.` : `${phone} was not blocked.`),
})

export const recipientExport = command({
  words: 'recipient export',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678 --file recipient.json',
  summary: 'Write everything that a workspace holds about a recipient as one JSON object.',
  options: {
    ...options,
    file: optional(nonEmpty('file', 'A new file, readable by its owner only. "-", the default, is standard output.')),
  },
  interruptedMessage: 'The export was interrupted, and no file was written. Run the command again.',
  async run(parts, { workspace: workspaceId, phone, file }, record, { signal }) {
    const { db, clock } = parts
    const request = { workspaceId, phone, at: clock.now() }
    // After the file can be written, before anything is read.
    const begin = async (): Promise<void> => {
      const held = await countStored(db, await findPerson(db, { workspaceId, phone }))
      await record(db, { workspaceId, action: 'recipient.exported', target: ONE_RECIPIENT, after: held })
    }
    if (file === undefined || file === STANDARD_OUTPUT) {
      await begin()
      return JSON.parse(await exportText(parts, request)) as object
    }
    const counts = await writeNewFile(file, {}, async (output) => {
      await begin()
      return writePieces(output, exportRecipient(parts, request), signal)
    })
    return { workspaceId, phone, file, found: Object.values(counts).some((count) => count > 0), counts }
  },
  format: (result) =>
    'file' in result ? formatFile(result as Parameters<typeof formatFile>[0]) : JSON.stringify(result, null, 2),
})

/** Returns the counts, which come after the last piece. */
async function writePieces(
  output: FileHandle,
  json: AsyncGenerator<string, ExportedCounts>,
  signal: AbortSignal,
): Promise<ExportedCounts> {
  for (;;) {
    signal.throwIfAborted()
    const { done, value } = await json.next()
    if (done) return value
    await output.writeFile(value) // appends: a handle keeps its position
  }
}

const formatFile = ({
  phone,
  file,
  found,
  counts,
}: {
  phone: string
  file: string
  found: boolean
  counts: ExportedCounts
}) =>
  found
    ? `${file} contains everything about ${phone}: ${counts.oneTimeCodes} one-time codes, ${counts.confirmations} confirmations, ` +
      `${counts.reports} other reports, ${counts.auditEntries} entries of the audit log.`
    : `Nothing is held about ${phone}. ${file} says so.`

export const recipientErase = command({
  words: 'recipient erase',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678 --yes',
  summary: 'Erase everything that a workspace holds about a recipient, permanently.',
  options: {
    ...options,
    yes: flag('Required: what was erased cannot be restored.'),
    keepBlock: flag('Keep the number blocked, if it is blocked. Default: the block is erased too.'),
  },
  interruptedMessage:
    'The erasure was interrupted. What was erased stays erased: run the command again to erase the rest.',
  async run(parts, { workspace: workspaceId, phone, yes, keepBlock }, record) {
    if (!yes)
      throw new UserError(
        asWritten(
          `This erases everything about ${phone} for good. To do so, add --yes. To keep a copy, run "recipient export" first.`,
        ),
      )
    const { pseudonym, finishesEarlier, erased } = await eraseRecipient(
      parts,
      { workspaceId, phone, keepBlock: keepBlock ?? false },
      (tx, { pseudonym }, held) =>
        record(tx, { workspaceId, action: 'recipient.erased', target: pseudonym, after: held }),
    )
    const found = Object.values(erased).some((count) => count > 0)
    const { isBlocked } = await countStored(parts.db, await findPerson(parts.db, { workspaceId, phone }))
    return {
      workspaceId,
      phone,
      found,
      finishedEarlier: finishesEarlier,
      pseudonym: found || finishesEarlier ? pseudonym : null,
      blocked: isBlocked,
      erased,
    }
  },
  format({ phone, found, finishedEarlier, pseudonym, blocked, erased }) {
    const lines: string[] = []
    if (finishedEarlier) lines.push('The earlier erasure is finished.')
    if (found) {
      const { messages, confirmations, events, reports, auditEntries } = erased
      lines.push(
        `Everything about ${phone} was erased: ${messages} messages, ${confirmations} confirmations, ${events} events, ` +
          `${reports} reports, ${auditEntries} entries of the audit log.`,
      )
    }
    if (pseudonym !== null) lines.push(`Messages and orders show "${pseudonym}" instead of the number.`)
    else lines.push(`Nothing ${blocked ? 'else ' : ''}is held about ${phone}.`)
    if (erased.blocks > 0)
      lines.push('The number was blocked and no longer is. If it must not get messages, block it again.')
    if (blocked) lines.push('The number stays blocked, without a reason.')
    return lines.join('\n')
  },
})
