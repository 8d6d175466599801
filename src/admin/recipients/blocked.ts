import { z } from 'zod'
import { BLOCKED_ORDERS, countBlocked, findBlocked, listBlocked } from '../../workspaces/blocked.ts'
import { callingCodesOf, onlyMeaning, partOfPhone, phonesMatching } from '../../lib/lists/searched-phones.ts'
import { callingCodeIn } from '../../lib/phone/calling-code.ts'
import { perform } from '../actions/action.ts'
import { blockActions, blockLines, parseLines } from '../actions/blocked.ts'
import { found } from '../actions/found.ts'
import { trimmedText } from '../inputs.ts'
import { listOwnPhones } from '../lists.ts'
import { callOf, callsOf, readCall, router } from '../rpc/trpc.ts'

export const blocked = router({
  ...callsOf(blockActions),

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

  /** The only number that a text without + and country code can mean in the workspace's countries, or null. */
  meant: readCall
    .input(z.object({ typed: trimmedText(100) }))
    .query(async ({ ctx: { parts, membership }, input: { workspaceId, typed } }) => {
      const ofZone = callingCodeIn(membership.timeZone)
      const own = callingCodesOf(await listOwnPhones(parts.db, workspaceId))
      return onlyMeaning(typed, [...new Set([...(ofZone ? [ofZone] : []), ...own])]) ?? null
    }),

  /** Validates lines and marks those that are blocked already. */
  check: readCall
    .meta({ changesNothing: true })
    .input(blockLines)
    .mutation(async ({ ctx: { parts }, input: { workspaceId, lines } }) => {
      const { good, faulty } = parseLines(lines, await listOwnPhones(parts.db, workspaceId))
      const phones = good.map(({ phone }) => phone)
      const known = new Set((await findBlocked(parts.db, { workspaceId, phones })).map(({ phone }) => phone))
      return { good: good.map(({ line, phone }) => ({ line, phone, blocked: known.has(phone) })), faulty }
    }),

  remove: callOf(blockActions.remove).mutation(async ({ ctx: { operator }, input }) => {
    found(await perform(blockActions.remove, operator, input), 'blocked_recipient')
  }),
})
