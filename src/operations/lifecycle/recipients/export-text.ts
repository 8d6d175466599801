import { UserError } from '../../../lib/errors.ts'
import { type ExportParts, type ExportRequest, exportRecipient } from './export.ts'

/** In memory; a file of the command line has no limit. */
const MAX_CHARACTERS = 32 * 1024 * 1024

/** The whole export. */
export async function exportText(parts: ExportParts, request: ExportRequest): Promise<string> {
  let text = ''
  for await (const piece of exportRecipient(parts, request)) {
    text += piece
    if (text.length > MAX_CHARACTERS)
      throw new UserError({ code: 'recipients.export_too_large', command: 'recipient export --file <file>' })
  }
  return text
}
