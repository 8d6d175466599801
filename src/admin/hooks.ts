import { listSenders } from '../accounts/senders.ts'
import { listOtpTemplates } from '../accounts/templates/stored.ts'
import { MAX_HOOKS, listHooks } from '../otp/hooks/hooks.ts'
import { hookActions } from './actions/hooks.ts'
import { callsOf, readCall, router } from './rpc/trpc.ts'

export const hooks = router({
  ...callsOf(hookActions),

  list: readCall.query(async ({ ctx: { parts }, input: { workspaceId } }) => ({
    max: MAX_HOOKS,
    baseUrl: `${parts.config.publicUrl}/hooks`,
    hooks: await listHooks(parts.db, workspaceId),
    senders: await listSenders(parts.db, workspaceId),
    templates: await listOtpTemplates(parts.db, workspaceId),
  })),
})
