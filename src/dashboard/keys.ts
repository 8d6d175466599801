import { z } from 'zod'
import { type Clock, DAY_MS, later } from '../clock.ts'
import { keptSentences } from '../sentences.ts'
import { findFirstRequest } from '../workspaces/first-request.ts'
import { isWorking, keyState } from '../workspaces/key-state.ts'
import { type KeyId, createKey, revokeKeyOf } from '../workspaces/keys.ts'
import { findKey, listKeys } from '../workspaces/list-keys.ts'
import { OVERLAPS_MS, type Overlap, rotateKey } from '../workspaces/rotate-key.ts'
import { audit } from './audit.ts'
import { nameOfThing } from './name.ts'
import { changing, missing, reading, router } from './trpc.ts'

const says = keptSentences({
  id: { en: 'is not the id of a key', ar: 'ليس معرّف مفتاح' },
  wholeDays: { en: 'must be a whole number of days', ar: 'يجب أن يكون عددًا صحيحًا من الأيام' },
  oneDay: { en: 'must be at least one day', ar: 'يوم واحد على الأقل' },
  tooLong: { en: 'must be at most {most} days', ar: 'الحد الأقصى لعدد الأيام {most}' },
})

const publicId = z.string().regex(/^[a-z2-7]{12}$/, says.id.en)
const EXPIRY_DAYS_MOST = 3_650
/** In days from now: nobody has to agree on what a date means. */
const expiresInDays = z
  .int(says.wholeDays.en)
  .min(1, says.oneDay.en)
  .max(EXPIRY_DAYS_MOST, says.tooLong({ most: EXPIRY_DAYS_MOST }).en)
  .nullable()

export const keys = router({
  list: reading.query(async ({ ctx: { parts }, input }) => {
    const now = parts.clock.now()
    const keys = await listKeys(parts.db, input.workspaceId)
    return keys.map((key) => ({ ...key, state: keyState(key, now) }))
  }),

  /** What a first request needs beside a key. */
  firstRequest: reading.query(async ({ ctx: { parts }, input }) => ({
    baseUrl: `${parts.config.publicUrl}/api/v1`,
    ...(await findFirstRequest(parts.db, input.workspaceId)),
  })),

  /** The complete key is in this answer and nowhere else. */
  create: changing
    .input(z.object({ name: nameOfThing, expiresInDays: expiresInDays.default(null) }))
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, name, expiresInDays } }) =>
      parts.db.transaction(async (tx) => {
        const expiresAt = inDays(parts.clock, expiresInDays)
        const created = await createKey(tx, parts.clock, { workspaceId, name, ...(expiresAt && { expiresAt }) })
        const after = { name, expiresAt: expiresAt ?? null }
        const change = { workspaceId, action: 'key.created', target: created.publicId, after }
        await audit(tx, { actor, at: parts.clock.now() }, change)
        return { ...created, expiresAt: expiresAt ?? null }
      }),
    ),

  /** A new key of the same name; the old one works until the overlap is over. */
  rotate: changing
    .input(
      z.object({
        publicId,
        overlap: z.enum(Object.keys(OVERLAPS_MS) as [Overlap, ...Overlap[]]),
        expiresInDays: expiresInDays.default(null),
      }),
    )
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, publicId, overlap, expiresInDays } }) =>
      parts.db.transaction(async (tx) => {
        const expiresAt = inDays(parts.clock, expiresInDays)
        const rotated = await rotateKey(tx, parts.clock, { workspaceId, publicId, overlap, expiresAt })
        if (!rotated) throw missing('key')
        const { name, oldExpiresAt } = rotated
        const after = { name, replacedBy: rotated.publicId, expiresAt: oldExpiresAt }
        const change = { workspaceId, action: 'key.rotated', target: publicId, after }
        await audit(tx, { actor, at: parts.clock.now() }, change)
        return rotated
      }),
    ),

  revoke: changing
    .input(z.object({ publicId }))
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, publicId } }) =>
      parts.db.transaction(async (tx) => {
        const id: KeyId = { workspaceId, publicId }
        const key = await findKey(tx, id)
        if (!key) throw missing('key')
        if (!(await revokeKeyOf(tx, id))) return { revoked: false }
        const { name, lastUsedAt } = key
        const before = { name, lastUsedAt, working: isWorking(keyState(key, parts.clock.now())) }
        const change = { workspaceId, action: 'key.revoked', target: publicId, before }
        await audit(tx, { actor, at: parts.clock.now() }, change)
        return { revoked: true }
      }),
    ),
})

const inDays = (clock: Clock, days: number | null): Date | undefined =>
  days === null ? undefined : later(clock.now(), days * DAY_MS)
