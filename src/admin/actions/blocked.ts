import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import { MAX_REASON_LENGTH, blockRecipients, unblockRecipient } from '../../workspaces/blocked.ts'
import { type RecipientInput, readRecipient } from '../../workspaces/written-recipient.ts'
import { phoneInput } from '../inputs.ts'
import { listOwnPhones } from '../lists.ts'
import { change } from './action.ts'

/** Limits one call; the page splits a longer list. */
const MAX_LINES = 500
const MAX_CELL = 1_000

const reason = z
  .string()
  .trim()
  .refine(
    (text) => Array.from(text).length <= MAX_REASON_LENGTH,
    asIssue({ code: 'http.must_have_at_most', max: MAX_REASON_LENGTH }),
  )
  .transform((text) => text || null)

export const blockLines = z.object({
  lines: z
    .array(z.object({ line: z.int().min(1), phone: z.string().max(MAX_CELL), reason: z.string().max(MAX_CELL) }))
    .min(1)
    .max(MAX_LINES),
})

export function parseLines(lines: readonly ({ line: number } & RecipientInput)[], own: readonly string[]) {
  const all = lines.map(({ line, ...fields }) => ({ line, ...readRecipient(fields, own) }))
  return {
    good: all.flatMap((each) => ('fault' in each ? [] : [each])),
    faulty: all.flatMap((each) => ('fault' in each ? [each] : [])),
  }
}

export const blockActions = {
  add: change('admin', z.object({ phone: phoneInput, reason: reason.default(null) }), async (context, block) => {
    const { tx: db, record, clock, actor } = context
    const { workspaceId, phone, reason } = block
    const recipients = { workspaceId, by: actor.who, recipients: [{ phone, reason }] }
    const added = (await blockRecipients({ db, clock }, recipients)).length > 0
    if (added) await record({ action: 'recipient.blocked', target: phone, after: { reason } })
    return { phone, added }
  }),

  /** Adds the valid lines and returns the others. */
  import: change('admin', blockLines, async ({ tx: db, record, clock, actor }, { workspaceId, lines }) => {
    const { good, faulty } = parseLines(lines, await listOwnPhones(db, workspaceId))
    const phones = await blockRecipients({ db, clock }, { workspaceId, by: actor.who, recipients: good })
    const [first = '', ...others] = phones
    const target = others.length === 0 ? first : `${phones.length} recipients`
    if (phones.length > 0) await record({ action: 'recipients.imported', target, after: { phones } })
    return { added: phones.length, already: good.length - phones.length, faulty }
  }),

  /** Returns false if the number was not blocked. */
  remove: change('admin', z.object({ phone: phoneInput }), async ({ tx, record }, recipient) => {
    const removed = await unblockRecipient(tx, recipient)
    if (!removed) return false
    const { phone: target, ...before } = removed
    await record({ action: 'recipient.unblocked', target, before })
    return true
  }),
}
