import { z } from 'zod'
import { type Clock, DAY_MS, later } from '../lib/clock.ts'
import { LANGUAGES, asIssue } from '../../locales/text.ts'
import { findFirstRequest } from './attention/first-steps.ts'
import { createKey, revokeWorkspaceKey } from '../workspaces/keys/keys.ts'
import { displayName } from './inputs.ts'
import { found } from './rpc/errors.ts'
import { adminChange, readCall, router } from './rpc/trpc.ts'
import {
  findKey,
  isWorking,
  keyState,
  listKeys,
  OVERLAPS_MS,
  rotateKey,
  type Overlap,
} from '../workspaces/keys/manage-keys.ts'

const publicId = z.string().regex(/^[a-z2-7]{12}$/, asIssue({ code: 'admin.id' }))
const MAX_EXPIRY_DAYS = 3_650
/** In days from now, so that time zones do not matter. */
const expiresInDays = z
  .int(asIssue({ code: 'admin.whole_days' }))
  .min(1, asIssue({ code: 'admin.one_day' }))
  .max(MAX_EXPIRY_DAYS, asIssue({ code: 'admin.too_many_days', max: MAX_EXPIRY_DAYS }))
  .nullable()
  .default(null)
const overlap = z.enum(Object.keys(OVERLAPS_MS) as [Overlap, ...Overlap[]])

export const keys = router({
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

  /** The only answer that holds the complete key. */
  create: adminChange
    .input(z.object({ name: displayName, expiresInDays }))
    .mutation(async ({ ctx: { tx, parts, record }, input: { workspaceId, name, expiresInDays } }) => {
      const expiresAt = inDays(parts.clock, expiresInDays)
      const created = await createKey(tx, parts.clock, { workspaceId, name, ...(expiresAt && { expiresAt }) })
      const after = { name, expiresAt: expiresAt ?? null }
      await record({ action: 'key.created', target: created.publicId, after })
      return { ...created, expiresAt: expiresAt ?? null }
    }),

  /** Creates a new key with the same name. The old key works until the overlap ends. */
  rotate: adminChange
    .input(z.object({ publicId, overlap, expiresInDays }))
    .mutation(async ({ ctx: { tx, parts, record }, input: { expiresInDays, ...input } }) => {
      const expiresAt = inDays(parts.clock, expiresInDays)
      const rotated = found(await rotateKey(tx, parts.clock, { ...input, expiresAt }), 'key')
      const after = { name: rotated.name, replacedBy: rotated.publicId, expiresAt: rotated.oldExpiresAt }
      await record({ action: 'key.rotated', target: input.publicId, after })
      return rotated
    }),

  revoke: adminChange.input(z.object({ publicId })).mutation(async ({ ctx: { tx, parts, record }, input }) => {
    const key = found(await findKey(tx, input), 'key')
    if (!(await revokeWorkspaceKey(tx, input))) return { revoked: false }
    const { name, lastUsedAt } = key
    const before = { name, lastUsedAt, working: isWorking(keyState(key, parts.clock.now())) }
    await record({ action: 'key.revoked', target: input.publicId, before })
    return { revoked: true }
  }),
})

const inDays = (clock: Clock, days: number | null): Date | undefined =>
  days === null ? undefined : later(clock.now(), days * DAY_MS)
