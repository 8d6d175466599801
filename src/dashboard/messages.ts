import { z } from 'zod'
import { storableText } from '../db.ts'
import { explainMessage } from '../explain/message.ts'
import { must } from '../http/fields.ts'
import { isUuid } from '../ids.ts'
import { type Meant, listMessages } from '../messages/search.ts'
import { OTP_STATUSES } from '../otp/status.ts'
import type { Parts } from '../parts.ts'
import { failures } from '../providers/failures.ts'
import type { FailureCode } from '../providers/provider.ts'
import { listSenders } from '../senders/list.ts'
import { type Language, keptSentences } from '../sentences.ts'
import { listTemplateNames } from '../templates/names.ts'
import { phonesMeantBy } from '../workspaces/searched-phones.ts'
import { dayInput, instantsOf } from './days.ts'
import { missing, reading, router } from './trpc.ts'

const says = keptSentences({ senderId: { en: 'must be a Sender ID', ar: 'يجب أن يكون معرّف مرسل' } })

const filter = z.object({
  /** A number in any usual form, a reference, or an id: ours or WhatsApp's. */
  text: z
    .string()
    .trim()
    .max(200, must.haveAtMost({ most: 200 }).en)
    .optional(),
  status: z.enum(OTP_STATUSES).optional(),
  kind: z.enum(['otp', 'cod']).optional(),
  template: z
    .string()
    .max(512, must.haveAtMost({ most: 512 }).en)
    .optional(),
  senderId: z.uuid(says.senderId.en).optional(),
  /** Days in the delivery zone, both included. */
  from: dayInput.optional(),
  to: dayInput.optional(),
  cursor: z.uuid().optional(),
})

export const messages = router({
  list: reading.input(filter).query(async ({ ctx: { parts, figures, membership }, input }) => {
    const { workspaceId, text, status, kind, template, senderId, from, to, cursor } = input
    const { timeZone, sandbox, clockOffsetMs } = membership
    const { rows, next } = await listMessages(figures, {
      workspaceId,
      search: text ? await meaningOf(parts, workspaceId, storableText(text)) : null,
      status: status ?? null,
      kind: kind ?? null,
      template: template === undefined ? null : storableText(template),
      senderId: senderId ?? null,
      ...instantsOf({ from, to }, timeZone),
      clock: { sandbox, offsetMs: clockOffsetMs },
      before: cursor ?? null,
    })
    return { rows, nextCursor: next?.before ?? null, lookedBackTo: next?.lookedBackTo ?? null }
  }),

  /** What the list can be narrowed to. */
  choices: reading.query(async ({ ctx: { parts }, input: { workspaceId } }) => ({
    senders: (await listSenders(parts.db, workspaceId)).map(({ senderId, phoneNumber }) => ({ senderId, phoneNumber })),
    templates: [...new Set((await listTemplateNames(parts.db, workspaceId)).map(({ name }) => name))],
  })),

  get: reading
    .input(z.object({ messageId: z.string().max(100) }))
    .query(async ({ ctx: { parts, language }, input: { workspaceId, messageId } }) => {
      // whatever an address holds: what is no id is as missing as an id that nobody gave out
      if (!isUuid(messageId)) throw missing('message')
      const told = await explainMessage(parts, { workspaceId, messageId, language })
      if (!told) throw missing('message')
      return { ...told, failure: failureOf(told.message.failureCode, language) }
    }),
})

async function meaningOf({ db }: Pick<Parts, 'db'>, workspaceId: string, text: string): Promise<Meant> {
  const senders = await listSenders(db, workspaceId)
  return {
    id: isUuid(text) ? text : null,
    text,
    phones: phonesMeantBy(
      text,
      senders.map(({ phoneNumber }) => phoneNumber),
    ),
  }
}

const failureOf = (code: FailureCode | null, language: Language): { code: FailureCode; message: string } | null =>
  code && { code, message: failures[code][language] }
