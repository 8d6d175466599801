import { z } from 'zod'
import { explainMessage } from '../explain/explain.ts'
import { isUuid } from '../lib/ids.ts'
import { countMessages, listMessages } from '../messages/search.ts'
import { MESSAGE_STATUSES } from '../messages/status.ts'
import { VERIFICATION_STATUSES } from '../otp/verifications/decide.ts'
import { FAILURE_CODES } from '../providers/failure-codes.ts'
import { orNull } from './inputs.ts'
import { failureOf, listFilter, listQuery, pageOf } from './lists.ts'
import { found } from './actions/found.ts'
import { readCall, router } from './rpc/trpc.ts'

const filter = z.object({
  ...listFilter,
  status: orNull(z.enum(MESSAGE_STATUSES)),
  kind: orNull(z.enum(['otp', 'cod'])),
  failureCode: orNull(z.enum(FAILURE_CODES)),
  verification: orNull(z.enum(VERIFICATION_STATUSES)),
})

export const messages = router({
  list: readCall
    .input(filter)
    .query(async ({ ctx: { parts, figures, membership }, input }) =>
      pageOf(await listMessages(figures, { ...input, ...(await listQuery(parts.db, membership, input)) })),
    ),

  /** Where the page is in the list; not part of `list`, which exports read page by page. */
  count: readCall
    .input(filter)
    .query(async ({ ctx: { parts, figures, membership }, input }) =>
      countMessages(figures, { ...input, ...(await listQuery(parts.db, membership, input)) }),
    ),

  get: readCall
    .input(z.object({ messageId: z.string().max(100) }))
    .query(async ({ ctx: { parts }, input: { workspaceId, messageId } }) => {
      const explanation = found(
        isUuid(messageId) && (await explainMessage(parts, { workspaceId, messageId })),
        'message',
      )
      return {
        ...explanation,
        failure: failureOf(explanation.message.failureCode),
        baseUrl: `${parts.config.publicUrl}/api/v1`,
      }
    }),
})
