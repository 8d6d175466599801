import { z } from 'zod'
import { CONFIRMATION_STATUSES } from '../cod/confirmation.ts'
import { type Meant, listConfirmations } from '../cod/list.ts'
import { REFUSAL_STATUSES } from '../cod/refusal.ts'
import { explainConversation } from '../explain/conversation.ts'
import { must } from '../http/fields.ts'
import { isUuid } from '../ids.ts'
import { failures } from '../providers/failures.ts'
import { type Sender, listSenders } from '../senders/list.ts'
import type { Language } from '../sentences.ts'
import { listTemplateNames } from '../templates/names.ts'
import { phonesMeantBy } from '../workspaces/searched-phones.ts'
import { dayInput, instantsOf } from './days.ts'
import { missing, reading, router } from './trpc.ts'

const wanted = z.object({
  /** A number in any usual form, the reference, or the id. */
  text: z
    .string()
    .trim()
    .max(200, must.haveAtMost({ most: 200 }).en)
    .optional(),
  status: z.enum(CONFIRMATION_STATUSES).optional(),
  refusal: z.enum([...REFUSAL_STATUSES, 'none']).optional(),
  template: z.string().max(512).optional(),
  senderId: z.uuid().optional(),
  /** Days in the delivery zone, both included. */
  from: dayInput.optional(),
  to: dayInput.optional(),
  cursor: z.uuid().optional(),
})

export const confirmations = router({
  list: reading
    .input(wanted)
    .query(async ({ ctx: { parts, figures, membership }, input: { workspaceId, text = '', ...filters } }) => {
      const { timeZone, sandbox, clockOffsetMs } = membership
      const page = await listConfirmations(figures, {
        workspaceId,
        clock: { sandbox, offsetMs: clockOffsetMs },
        search: text === '' ? null : meantBy(text, await listSenders(parts.db, workspaceId)),
        status: filters.status ?? null,
        refusal: filters.refusal ?? null,
        template: filters.template ?? null,
        senderId: filters.senderId ?? null,
        ...instantsOf(filters, timeZone),
        before: filters.cursor ?? null,
      })
      return { rows: page.rows, nextCursor: page.next?.before ?? null, lookedBackTo: page.next?.lookedBackTo ?? null }
    }),

  /** What a list can be narrowed to. */
  choices: reading.query(async ({ ctx: { parts }, input: { workspaceId } }) => ({
    senders: (await listSenders(parts.db, workspaceId)).map(({ senderId, phoneNumber }) => ({ senderId, phoneNumber })),
    templates: [
      ...new Set(
        (await listTemplateNames(parts.db, workspaceId))
          .filter(({ category }) => category === 'UTILITY')
          .map(({ name }) => name),
      ),
    ],
  })),

  get: reading
    .input(z.object({ confirmationId: z.string().max(100) }))
    .query(async ({ ctx: { parts, language }, input: { workspaceId, confirmationId } }) => {
      // whatever an address holds: what is no id is as missing as an id that nobody gave out
      if (!isUuid(confirmationId)) throw missing('confirmation')
      const told = await explainConversation(parts, { workspaceId, confirmationId, language })
      if (!told) throw missing('confirmation')
      const { confirmation, refusal } = told
      return {
        ...told,
        failure: failureOf(confirmation.failureCode, language),
        refusalFailure: failureOf(refusal?.failureCode ?? null, language),
      }
    }),
})

/** A reference may look like an id. */
const meantBy = (text: string, senders: readonly Sender[]): Meant => ({
  id: isUuid(text) ? text : null,
  reference: text,
  phones: phonesMeantBy(
    text,
    senders.map(({ phoneNumber }) => phoneNumber),
  ),
})

const failureOf = (code: keyof typeof failures | null, language: Language) =>
  code && { code, message: failures[code][language] }
