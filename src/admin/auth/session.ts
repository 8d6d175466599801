import { z } from 'zod'
import { asIssue } from '../../../locales/text.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { type KeptSince, findKeptSince, sinceBeginning } from '../../operations/lifecycle/retention/kept-since.ts'
import { isCommonPassword } from './common-password.ts'
import { MIN_PASSWORD_CHARACTERS, MAX_PASSWORD_CHARACTERS } from './auth.ts'
import { emailInput, limitedText, displayName } from '../inputs.ts'
import { acceptInvitation, acceptLink, getLink, setPasswordByLink } from './links.ts'
import { type ListedMembership, findListedMembership, listMemberships } from './members.ts'
import { publicCall, readCall, router, signedInCall } from '../rpc/trpc.ts'

const MAX_TOKEN_CHARACTERS = 200

const token = z.string().max(MAX_TOKEN_CHARACTERS)

const password = limitedText(MAX_PASSWORD_CHARACTERS)
  .min(MIN_PASSWORD_CHARACTERS, {
    error: asIssue({ code: 'http.must_have_at_least', min: MIN_PASSWORD_CHARACTERS }),
    abort: true,
  })
  .refine((password) => !isCommonPassword(password), asIssue({ code: 'admin.password_common' }))

/** `keptSince`: where the kept history of the workspace begins, if that is after its beginning (docs/retention.md). */
const withKeptSince = (membership: ListedMembership, keptSince: KeptSince) => ({
  ...membership,
  keptSince: sinceBeginning(membership.workspaceId, keptSince),
})

async function listWorkspaces(sql: Sql, userId: string) {
  const [memberships, keptSince] = await Promise.all([listMemberships(sql, userId), findKeptSince(sql)])
  return memberships.map((membership) => withKeptSince(membership, keptSince))
}

/**
 * The signed-in person, with how Doorcode was started on this instance, which texts with commands need; and the one-time links
 * that lead to an account.
 */
export const session = router({
  current: publicCall.query(async ({ ctx: { person, parts } }) =>
    person
      ? { person, program: parts.config.program, workspaces: await listWorkspaces(parts.db, person.userId) }
      : null,
  ),

  /** A workspace that `current` leaves out, because this person may see more than it lists. */
  workspace: readCall.query(async ({ ctx: { parts, person }, input: { workspaceId } }) => {
    const [membership, keptSince] = await Promise.all([
      findListedMembership(parts.db, { userId: person.userId, workspaceId }),
      findKeptSince(parts.db),
    ])
    return membership ? withKeptSince(membership, keptSince) : null
  }),

  /** What a link is for. A mutation, because a query may be sent with the token in its URL. */
  link: publicCall.input(z.object({ token })).mutation(async ({ ctx: { parts }, input }) => {
    const { purpose, email, workspaceName, role, hasAccount } = await getLink(parts, input.token)
    return { purpose, email, workspaceName, role, hasAccount }
  }),

  /** Creates the link's account. Only the first owner chooses `email`. */
  accept: publicCall
    .input(z.object({ token, email: emailInput.optional(), name: displayName, password }))
    .mutation(({ ctx: { parts }, input }) => acceptLink(parts, input)),

  join: signedInCall
    .input(z.object({ token }))
    .mutation(({ ctx: { parts, person }, input }) => acceptInvitation(parts, input.token, person)),

  setPassword: publicCall
    .input(z.object({ token, password }))
    .mutation(({ ctx: { parts }, input }) => setPasswordByLink(parts, input.token, input.password)),
})
