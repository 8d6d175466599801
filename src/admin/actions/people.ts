import { z } from 'zod'
import { MAX_INVITATIONS, deleteInvitation, listInvitations } from '../auth/invitations.ts'
import { createLink, deleteLinks, endInvitationsOf } from '../auth/links.ts'
import { MEMBER_ROLES, changeRole, listMembers, removeMember } from '../auth/members.ts'
import { emailError } from '../auth/person.ts'
import { found } from './found.ts'
import { emailInput } from '../inputs.ts'
import { type ChangeContext, type Operator, change, commit, workspaceOnly } from './action.ts'

const role = z.enum(MEMBER_ROLES)
export const userId = z.string().max(100)

/** Ends the invitations by a person who is no longer an owner. */
async function endInvitations({ tx, record, clock }: ChangeContext, id: { workspaceId: string; userId: string }) {
  for (const { email, role } of await endInvitationsOf(tx, { ...id, at: clock.now() }))
    await record({ action: 'invitation.revoked', target: email, before: { role } })
}

/** For a person who forgot the password. Passwords belong to the instance, not to a workspace. */
export const makePasswordLink = (operator: Operator, person: { email: string; endsSecondFactor: boolean }) =>
  commit(operator, null, async (tx, record) => {
    const { email, endsSecondFactor } = person
    const by = { createdBy: operator.actor.userId, at: operator.clock.now() }
    const { token, expiresAt } = await createLink(tx, { purpose: 'password', email, endsSecondFactor, ...by })
    await record({ action: 'person.password_link_made', target: email, after: { endsSecondFactor } })
    return { token, expiresAt }
  })

export const peopleActions = {
  invite: change('owner', z.object({ email: emailInput, role }), async ({ tx, record, clock, actor }, input) => {
    const { workspaceId, email, role } = input
    const at = clock.now()
    const members = await listMembers(tx, workspaceId)
    if (members.some((each) => each.email === email.toLowerCase())) throw emailError({ code: 'admin.is_here' })
    const open = (await listInvitations(tx, { workspaceId, at })).filter(({ isExpired }) => !isExpired)
    if (open.length >= MAX_INVITATIONS) throw emailError({ code: 'admin.people_too_many', max: MAX_INVITATIONS })
    const invitation = { purpose: 'invitation' as const, workspaceId, email, role, createdBy: actor.userId, at }
    const { linkId, token, expiresAt } = await createLink(tx, invitation)
    await record({ action: 'invitation.created', target: email.toLowerCase(), after: { role } })
    return { invitationId: linkId, token, expiresAt }
  }),

  revokeInvitation: change('owner', z.object({ invitationId: z.uuid() }), async ({ tx, record }, invitation) => {
    const { email, role } = found(await deleteInvitation(tx, invitation), 'open_invitation')
    await record({ action: 'invitation.revoked', target: email, before: { role } })
  }),

  changeRole: change('owner', z.object({ userId, role }), async (context, { role, ...id }) => {
    const { tx, record } = context
    const { email, role: before } = found(await changeRole(tx, id, role), 'person')
    if (before === role) return
    await record({ action: 'member.role_changed', target: email, before: { role: before }, after: { role } })
    if (role !== 'owner') await endInvitations(context, id)
  }),

  remove: change('owner', z.object({ userId }), async (context, id) => {
    const { tx, record } = context
    const { email, role } = found(await removeMember(tx, id), 'person')
    await deleteLinks(tx, { purpose: 'invitation', workspaceId: id.workspaceId, email })
    await record({ action: 'member.removed', target: email, before: { role } })
    await endInvitations(context, id)
  }),

  leave: change('member', workspaceOnly, async (context, { workspaceId }) => {
    const { tx, record, actor } = context
    const id = { workspaceId, userId: found(actor.userId, 'person') }
    const { email, role } = found(await removeMember(tx, id), 'person')
    await record({ action: 'member.left', target: email, before: { role } })
    await endInvitations(context, id)
  }),
}
