import { z } from 'zod'
import { createKey } from '../workspaces/keys.ts'
import { listKeys } from '../workspaces/list-keys.ts'
import { audit } from './audit.ts'
import { changing, reading, router } from './trpc.ts'

export const keys = router({
  list: reading.query(({ ctx: { parts }, input }) => listKeys(parts.db, input.workspaceId)),

  /** The complete key is in this answer and nowhere else. */
  create: changing
    .input(
      z.object({ name: z.string().trim().min(1, 'must not be empty').max(100, 'must have at most 100 characters') }),
    )
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, name } }) =>
      parts.db.transaction(async (tx) => {
        const created = await createKey(tx, parts.clock, { workspaceId, name })
        const change = { workspaceId, action: 'key.created', target: created.publicId, after: { name } }
        await audit(tx, { actor, at: parts.clock.now() }, change)
        return created
      }),
    ),
})
