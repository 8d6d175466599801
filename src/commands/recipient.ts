import type { FileHandle } from 'node:fs/promises'
import { asWritten } from '../../locales/text.ts'
import { recipientActions } from '../admin/actions/recipients.ts'
import { type ExportedCounts, textOfExport } from '../operations/lifecycle/recipients/export.ts'
import { countStored, findPerson } from '../operations/lifecycle/recipients/person.ts'
import { writeNewFile } from '../runtime/start/new-file.ts'
import { UserError } from '../lib/errors.ts'
import { act, command } from './command.ts'
import { STANDARD_OUTPUT, flag, nonEmpty, optional, phone, workspace } from './inputs.ts'

const options = { workspace, phone: phone('The phone number of the recipient, such as +212612345678.') }

const recipientExport = command({
  words: 'recipient export',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f --phone +212612345678 --file recipient.json',
  summary: 'Write everything that a workspace holds about a recipient as one JSON object.',
  options: {
    ...options,
    file: optional(nonEmpty('file', 'A new file, readable by its owner only. "-", the default, is standard output.')),
  },
  interruptedMessage: 'The export was interrupted, and no file was written. Run the command again.',
  async run(operator, { workspace: workspaceId, phone, file }, { signal }) {
    const begin = () => act(recipientActions.export, operator, { workspaceId, phone })
    if (file === undefined || file === STANDARD_OUTPUT) return JSON.parse(await textOfExport(await begin())) as object
    // recorded only once the file is known to be writable
    const counts = await writeNewFile(file, {}, async (output) => writePieces(output, await begin(), signal))
    return { workspaceId, phone, file, found: Object.values(counts).some((count) => count > 0), counts }
  },
  format: (result) => ('file' in result ? formatFile(result as Parameters<typeof formatFile>[0]) : undefined),
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
    ? `${file} contains everything about ${phone}: ${counted(counts.oneTimeCodes, 'one-time code')}, ${counted(counts.confirmations, 'confirmation')}, ` +
      `${counted(counts.reports, 'other report')}, ${auditEntriesText(counts.auditEntries)}.`
    : `Nothing is held about ${phone}. ${file} says so.`

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const auditEntriesText = (count: number): string => `${count} ${count === 1 ? 'entry' : 'entries'} of the audit log`

const recipientErase = command({
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
  async run(operator, { workspace: workspaceId, phone, yes, keepBlock }) {
    if (!yes)
      throw new UserError(
        asWritten(
          `This erases everything about ${phone} for good. To do so, add --yes. To keep a copy, run “doorcode recipient export” first.`,
        ),
      )
    const { erasure, erased } = await act(recipientActions.erase, operator, {
      workspaceId,
      phone,
      keepBlock: keepBlock ?? false,
      maxMs: Number.POSITIVE_INFINITY,
    })
    const { pseudonym, finishesEarlier } = erasure
    const found = Object.values(erased).some((count) => count > 0)
    const { isBlocked } = await countStored(operator.db, await findPerson(operator.db, { workspaceId, phone }))
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
        `Everything about ${phone} was erased: ${counted(messages, 'message')}, ${counted(confirmations, 'confirmation')}, ${counted(events, 'event')}, ` +
          `${counted(reports, 'report')}, ${auditEntriesText(auditEntries)}.`,
      )
    }
    if (pseudonym !== null) lines.push(`Messages and confirmations show "${pseudonym}" instead of the number.`)
    else lines.push(`Nothing ${blocked ? 'else ' : ''}is held about ${phone}.`)
    if (erased.blocks > 0)
      lines.push('The number was blocked and no longer is. If it must not get messages, block it again.')
    if (blocked) lines.push('The number stays blocked, without a reason.')
    return lines.join('\n')
  },
})

export const recipientCommands = [recipientExport, recipientErase]
