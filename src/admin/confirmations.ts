import { z } from 'zod'
import { CONFIRMATION_STATUSES } from '../cod/conversation/confirmation.ts'
import { countConfirmations, findNeighbours, listConfirmations } from '../cod/list.ts'
import { REFUSAL_STATUSES } from '../cod/conversation/refusal.ts'
import { explainConversation } from '../explain/explain.ts'
import { isUuid } from '../lib/ids.ts'
import { orNull } from './inputs.ts'
import { failureOf, listFilter, listQuery, pageOf } from './lists.ts'
import { found } from './actions/found.ts'
import { readCall, router } from './rpc/trpc.ts'

const filter = z.object({
  ...listFilter,
  status: orNull(z.enum(CONFIRMATION_STATUSES)),
  refusal: orNull(z.enum([...REFUSAL_STATUSES, 'none'])),
})

export const confirmations = router({
  list: readCall
    .input(filter)
    .query(async ({ ctx: { parts, figures, membership }, input }) =>
      pageOf(await listConfirmations(figures, { ...input, ...(await listQuery(parts.db, membership, input)) })),
    ),

  /** Where the page is in the list; not part of `list`, which exports read page by page. */
  count: readCall
    .input(filter)
    .query(async ({ ctx: { parts, figures, membership }, input }) =>
      countConfirmations(figures, { ...input, ...(await listQuery(parts.db, membership, input)) }),
    ),

  get: readCall
    .input(z.object({ confirmationId: z.string().max(100) }))
    .query(async ({ ctx: { parts }, input: { workspaceId, confirmationId } }) => {
      const explanation = found(
        isUuid(confirmationId) && (await explainConversation(parts, { workspaceId, confirmationId })),
        'confirmation',
      )
      const { confirmation, refusal } = explanation
      const failure = failureOf(confirmation.failureCode)
      const baseUrl = `${parts.config.publicUrl}/api/v1`
      return { ...explanation, failure, refusalFailure: failureOf(refusal?.failureCode), baseUrl }
    }),

  /** In the list with these filters. */
  neighbours: readCall
    .input(filter.extend({ confirmationId: z.uuid() }))
    .query(async ({ ctx: { parts, membership }, input }) =>
      findNeighbours(parts.db, { ...input, ...(await listQuery(parts.db, membership, input)) }, input.confirmationId),
    ),
})
