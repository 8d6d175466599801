import { z } from 'zod'
import { LANGUAGES } from '../../locales/text.ts'
import { keyActions } from './actions/keys.ts'
import { findFirstRequest } from './first-steps.ts'
import { callsOf, readCall, router } from './rpc/trpc.ts'
import { keyState, listKeys } from '../workspaces/keys/manage-keys.ts'

export const keys = router({
  ...callsOf(keyActions),

  list: readCall.query(async ({ ctx: { parts }, input }) => {
    const now = parts.clock.now()
    const keys = await listKeys(parts.db, input.workspaceId)
    return keys.map((key) => ({ ...key, state: keyState(key, now) }))
  }),

  /** What a first request needs in addition to a key, with a template of the reader's language where there is one. */
  firstRequest: readCall
    .input(z.object({ language: z.enum(LANGUAGES).default('en') }))
    .query(async ({ ctx: { parts }, input }) => ({
      baseUrl: `${parts.config.publicUrl}/api/v1`,
      ...(await findFirstRequest(parts.db, input)),
    })),
})
