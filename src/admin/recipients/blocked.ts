import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import {
  BLOCKED_ORDERS,
  MAX_REASON_LENGTH,
  blockRecipients,
  countBlocked,
  findBlocked,
  listBlocked,
  unblockRecipient,
} from '../../workspaces/blocked.ts'
import { partOfPhone, phonesMatching } from '../../lib/lists/searched-phones.ts'
import { type RecipientInput, readRecipient } from '../../workspaces/written-recipient.ts'
import { phoneInput, trimmedText } from '../inputs.ts'
import { listOwnPhones } from '../lists.ts'
import { found } from '../rpc/errors.ts'
import { adminChange, readCall, router } from '../rpc/trpc.ts'

/** In one call; the page splits a longer list. */
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

const lines = z
  .array(z.object({ line: z.int().min(1), phone: z.string().max(MAX_CELL), reason: z.string().max(MAX_CELL) }))
  .min(1)
  .max(MAX_LINES)

export const blocked = router({
  /**
   * `text` is a phone number in any form, or a part of one. `phones`: the numbers that it can be, empty when it is only
   * a part.
   */
  list: readCall
    .input(
      z.object({
        text: trimmedText(100).default(''),
        order: z.enum(BLOCKED_ORDERS).default('latest'),
        cursor: z.object({ phone: z.string().max(40), blockedAt: z.iso.datetime() }).optional(),
      }),
    )
    .query(async ({ ctx: { parts, figures }, input: { workspaceId, text, order, cursor } }) => {
      const after = cursor ? { phone: cursor.phone, blockedAt: new Date(cursor.blockedAt) } : null
      const phones = text === '' ? [] : phonesMatching(text, await listOwnPhones(parts.db, workspaceId))
      const search = text === '' ? null : { part: partOfPhone(text), phones }
      const page = await listBlocked(figures, { workspaceId, order, after, search })
      return { ...page, phones, total: cursor ? null : await countBlocked(figures, { workspaceId, search }) }
    }),

  add: adminChange
    .input(z.object({ phone: phoneInput, reason: reason.default(null) }))
    .mutation(async ({ ctx: { within, person, record }, input: { workspaceId, phone, reason } }) => {
      const recipients = [{ phone, reason }]
      const added = (await blockRecipients(within, { workspaceId, by: person.email, recipients })).length > 0
      if (added) await record({ action: 'recipient.blocked', target: phone, after: { reason } })
      return { phone, added }
    }),

  /** Validates lines and marks those that are blocked already. */
  check: readCall
    .meta({ changesNothing: true })
    .input(z.object({ lines }))
    .mutation(async ({ ctx: { parts }, input: { workspaceId, lines } }) => {
      const { good, faulty } = parseLines(lines, await listOwnPhones(parts.db, workspaceId))
      const phones = good.map(({ phone }) => phone)
      const known = new Set((await findBlocked(parts.db, { workspaceId, phones })).map(({ phone }) => phone))
      return { good: good.map(({ line, phone }) => ({ line, phone, blocked: known.has(phone) })), faulty }
    }),

  /** Adds the valid lines and returns the others. */
  import: adminChange
    .input(z.object({ lines }))
    .mutation(async ({ ctx: { within, person, record }, input: { workspaceId, lines } }) => {
      const { good, faulty } = parseLines(lines, await listOwnPhones(within.db, workspaceId))
      const recipients = { workspaceId, by: person.email, recipients: good }
      const phones = await blockRecipients(within, recipients)
      const [first = '', ...others] = phones
      const target = others.length === 0 ? first : `${phones.length} recipients`
      if (phones.length > 0) await record({ action: 'recipients.imported', target, after: { phones } })
      return { added: phones.length, already: good.length - phones.length, faulty }
    }),

  remove: adminChange.input(z.object({ phone: phoneInput })).mutation(async ({ ctx: { tx, record }, input }) => {
    const { reason, blockedBy, blockedAt } = found(await unblockRecipient(tx, input), 'blocked_recipient')
    await record({ action: 'recipient.unblocked', target: input.phone, before: { reason, blockedBy, blockedAt } })
  }),
})

function parseLines(lines: readonly ({ line: number } & RecipientInput)[], own: readonly string[]) {
  const all = lines.map(({ line, ...fields }) => ({ line, ...readRecipient(fields, own) }))
  return {
    good: all.flatMap((each) => ('fault' in each ? [] : [each])),
    faulty: all.flatMap((each) => ('fault' in each ? [each] : [])),
  }
}
