import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import { type Clock, DAY_MS, later } from '../../lib/clock.ts'
import { createKey, revokeKey } from '../../workspaces/keys/keys.ts'
import {
  OVERLAPS_MS,
  type Overlap,
  findKey,
  isWorking,
  keyState,
  rotateKey,
} from '../../workspaces/keys/manage-keys.ts'
import { found } from './found.ts'
import { displayName } from '../inputs.ts'
import { change } from './action.ts'

const publicId = z.string().regex(/^[a-z2-7]{12}$/, asIssue({ code: 'admin.id' }))
const MAX_EXPIRY_DAYS = 3_650
/** Counted from now, so that time zones do not matter. */
const expiresInDays = z
  .int(asIssue({ code: 'admin.whole_days' }))
  .min(1, asIssue({ code: 'admin.one_day' }))
  .max(MAX_EXPIRY_DAYS, asIssue({ code: 'admin.too_many_days', max: MAX_EXPIRY_DAYS }))
  .nullable()
  .default(null)
const overlap = z.enum(Object.keys(OVERLAPS_MS) as [Overlap, ...Overlap[]])

const inDays = (clock: Clock, days: number | null): Date | null =>
  days === null ? null : later(clock.now(), days * DAY_MS)

export const keyActions = {
  /** Returns the complete key, which no other call shows. */
  create: change('admin', z.object({ name: displayName, expiresInDays }), async ({ tx, record, clock }, input) => {
    const { workspaceId, name } = input
    const expiresAt = inDays(clock, input.expiresInDays)
    const created = await createKey(tx, clock, { workspaceId, name, expiresAt })
    await record({ action: 'key.created', target: created.publicId, after: { name, expiresAt } })
    return { ...created, expiresAt }
  }),

  /** Creates a new key with the same name. The old key works until the overlap ends. */
  rotate: change(
    'admin',
    z.object({ publicId, overlap, expiresInDays }),
    async ({ tx, record, clock }, { expiresInDays, ...key }) => {
      const expiresAt = inDays(clock, expiresInDays)
      const rotated = found(await rotateKey(tx, clock, { ...key, expiresAt }), 'key')
      const after = { name: rotated.name, replacedBy: rotated.publicId, expiresAt: rotated.oldExpiresAt }
      await record({ action: 'key.rotated', target: key.publicId, after })
      return rotated
    },
  ),

  revoke: change('admin', z.object({ publicId }), async ({ tx, record, clock }, key) => {
    const stored = found(await findKey(tx, key), 'key')
    if (!(await revokeKey(tx, key))) return { revoked: false }
    const { name, lastUsedAt } = stored
    const before = { name, lastUsedAt, working: isWorking(keyState(stored, clock.now())) }
    await record({ action: 'key.revoked', target: key.publicId, before })
    return { revoked: true }
  }),
}
