import { z } from 'zod'
import { commandText } from '../../../locales/text.ts'
import { makePasswordLink, peopleActions, userId } from '../actions/people.ts'
import { found } from '../actions/found.ts'
import { CallError } from '../rpc/errors.ts'
import { callsOf, ownerCall, readCall, router } from '../rpc/trpc.ts'
import { listInvitations } from './invitations.ts'
import { listMembers } from './members.ts'

/** Members and invitations. The page shows links to copy, because Doorcode sends no email. */
export const people = router({
  ...callsOf(peopleActions),

  /** Only owners see invitations, second factors and when a person was last seen. */
  list: readCall.query(async ({ ctx: { parts, membership }, input: { workspaceId } }) => {
    const members = await listMembers(parts.db, workspaceId)
    if (membership.role === 'owner')
      return { members, invitations: await listInvitations(parts.db, { workspaceId, at: parts.clock.now() }) }
    return { members: members.map((member) => ({ ...member, twoFactor: null, lastSeenAt: null })), invitations: [] }
  }),

  /** The creator could use the link too, so only operators create one, and only the command line one for an operator. */
  makePasswordLink: ownerCall
    .input(z.object({ userId, endsSecondFactor: z.boolean() }))
    .mutation(async ({ ctx: { parts, membership, operator }, input: { workspaceId, userId, endsSecondFactor } }) => {
      if (!membership.operator) throw new CallError('FORBIDDEN', { code: 'admin.people_operators_only' })
      const members = await listMembers(parts.db, workspaceId)
      const member = found(
        members.find((each) => each.userId === userId),
        'person',
      )
      const { email } = member
      const command = commandText(`person link ${email}`)
      if (member.operator) throw new CallError('FORBIDDEN', { code: 'admin.of_an_operator', email, command })
      return makePasswordLink(operator, { email, endsSecondFactor })
    }),
})
