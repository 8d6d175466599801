import { z } from 'zod'
import { storableText } from '../db.ts'
import { must } from '../http/fields.ts'
import { listSenders } from '../senders/list.ts'
import { keptSentences } from '../sentences.ts'
import { REASON_MOST, blockRecipient, blockRecipients, liftBlock } from '../workspaces/blocked.ts'
import { BLOCKED_ORDERS, countBlocked, findBlocked, listBlocked } from '../workspaces/list-blocked.ts'
import { normalizePhone } from '../workspaces/phone.ts'
import { phonesMeantBy } from '../workspaces/searched-phones.ts'
import { type RecipientFault, readRecipient } from '../workspaces/written-recipient.ts'
import { audit } from './audit.ts'
import { changing, missing, reading, router } from './trpc.ts'

/** Of one call; the page sends a long list in several. */
const LINES_MOST = 500
const CELL_MOST = 1_000

const says = keptSentences({
  phone: {
    en: 'must be a phone number in international form, such as {example}',
    ar: 'يجب أن يكون رقم هاتف بالصيغة الدولية، مثل {example}',
  },
})

const phone = z
  .string()
  .trim()
  .max(CELL_MOST)
  .transform((text, context) => {
    const read = normalizePhone(text)
    if (read === undefined) {
      context.addIssue({ code: 'custom', message: says.phone({ example: '+212612345678' }).en })
      return z.NEVER
    }
    return read
  })

const reason = z
  .string()
  .trim()
  .refine((text) => Array.from(text).length <= REASON_MOST, must.haveAtMost({ most: REASON_MOST }).en)
  .transform((text) => (text === '' ? null : storableText(text)))

const lines = z
  .array(z.object({ line: z.int().min(1), phone: z.string().max(CELL_MOST), reason: z.string().max(CELL_MOST) }))
  .min(1)
  .max(LINES_MOST)

type Read = { line: number; phone: string; reason: string | null }
type Faulty = { line: number } & RecipientFault

export const blocked = router({
  list: reading
    .input(
      z.object({
        order: z.enum(BLOCKED_ORDERS).default('latest'),
        cursor: z.object({ phone: z.string().max(40), blockedAt: z.iso.datetime() }).optional(),
      }),
    )
    .query(async ({ ctx: { parts, figures }, input: { workspaceId, order, cursor } }) => {
      const after = cursor ? { phone: cursor.phone, blockedAt: new Date(cursor.blockedAt) } : null
      const page = await listBlocked(parts.db, { workspaceId, order, after })
      return { ...page, total: cursor ? null : await countBlocked(figures, workspaceId) }
    }),

  /** A number as somebody types it; `meant` is how it was understood, empty when it is no number. */
  search: reading
    .input(z.object({ text: z.string().trim().max(100) }))
    .query(async ({ ctx: { parts }, input: { workspaceId, text } }) => {
      const phones = phonesMeantBy(text, await ownPhones(parts.db, workspaceId))
      return { meant: phones, rows: await findBlocked(parts.db, { workspaceId, phones }) }
    }),

  add: changing
    .input(z.object({ phone, reason: reason.default(null) }))
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, phone, reason } }) =>
      parts.db.transaction(async (tx) => {
        const recipient = { workspaceId, phone, reason, by: actor.who }
        const added = await blockRecipient({ db: tx, clock: parts.clock }, recipient)
        if (added) {
          const change = { workspaceId, action: 'recipient.blocked', target: phone, after: { reason } }
          await audit(tx, { actor, at: parts.clock.now() }, change)
        }
        return { phone, added }
      }),
    ),

  /** What is wrong with lines, and which of them are blocked already. */
  check: reading
    .meta({ changesNothing: true })
    .input(z.object({ lines }))
    .mutation(async ({ ctx: { parts }, input: { workspaceId, lines } }) => {
      const { good, faulty } = readLines(lines, await ownPhones(parts.db, workspaceId))
      const phones = good.map(({ phone }) => phone)
      const known = new Set((await findBlocked(parts.db, { workspaceId, phones })).map(({ phone }) => phone))
      return { good: good.map(({ line, phone }) => ({ line, phone, blocked: known.has(phone) })), faulty }
    }),

  /** Adds the good lines and tells of the others. */
  import: changing
    .input(z.object({ lines }))
    .mutation(async ({ ctx: { parts, actor }, input: { workspaceId, lines } }) => {
      const { good, faulty } = readLines(lines, await ownPhones(parts.db, workspaceId))
      const added = await parts.db.transaction(async (tx) => {
        const now = { db: tx, clock: parts.clock }
        const phones = await blockRecipients(now, { workspaceId, by: actor.who, recipients: good })
        if (phones.length > 0) {
          const target = phones.length === 1 ? (phones[0] ?? '') : `${phones.length} recipients`
          const change = { workspaceId, action: 'recipients.imported', target, after: { phones } }
          await audit(tx, { actor, at: parts.clock.now() }, change)
        }
        return phones.length
      })
      return { added, already: good.length - added, faulty }
    }),

  remove: changing.input(z.object({ phone })).mutation(({ ctx: { parts, actor }, input: { workspaceId, phone } }) =>
    parts.db.transaction(async (tx) => {
      const lifted = await liftBlock(tx, { workspaceId, phone })
      if (!lifted) throw missing('blocked recipient')
      const { reason, blockedBy, blockedAt } = lifted
      const before = { reason, blockedBy, blockedAt }
      const change = { workspaceId, action: 'recipient.unblocked', target: phone, before }
      await audit(tx, { actor, at: parts.clock.now() }, change)
    }),
  ),
})

const ownPhones = async (...[sql, workspaceId]: Parameters<typeof listSenders>): Promise<string[]> =>
  (await listSenders(sql, workspaceId)).map(({ phoneNumber }) => phoneNumber)

function readLines(lines: readonly { line: number; phone: string; reason: string }[], own: readonly string[]) {
  const good: Read[] = []
  const faulty: Faulty[] = []
  for (const { line, ...written } of lines) {
    const read = readRecipient(written, own)
    if ('fault' in read) faulty.push({ line, ...read })
    else good.push({ line, ...read })
  }
  return { good, faulty }
}
