import { z } from 'zod'
import { type Sql, statement } from '../../lib/db/pool.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { Change } from '../audit/audit.ts'
import { emailInput } from '../inputs.ts'
import { CallError, found } from '../rpc/errors.ts'
import { inTransaction, ownerChange, readCall, router } from '../rpc/trpc.ts'
import { MAKER_IS_OWNER, createLink, deleteLinks, endInvitationsOf } from './links.ts'
import { MEMBER_ROLES, type MemberRole, changeRole, listMembers, removeMember } from './members.ts'
import { emailError } from './person.ts'

type Invitation = {
  invitationId: string
  email: string
  role: MemberRole
  invitedBy: string | null
  createdAt: Date
  expiresAt: Date
  isExpired: boolean
}

const MAX_INVITATIONS = 200

const selectInvitations = statement<Invitation>(
  'list_invitations',
  `select l.id as "invitationId", l.email, l.role, l.created_at as "createdAt", l.expires_at as "expiresAt",
     l.expires_at <= $2 as "isExpired",
     (select u."email" from auth."user" u where u."id" = l.created_by) as "invitedBy"
   from access_links l
   where l.workspace_id = $1 and l.purpose = 'invitation' and l.used_at is null and ${MAKER_IS_OWNER}
   order by l.expires_at <= $2, l.id desc limit ${MAX_INVITATIONS}`,
)

const deleteInvitation = statement<{ email: string; role: MemberRole }>(
  'revoke_invitation',
  `delete from access_links
   where workspace_id = $1 and id = $2 and purpose = 'invitation' and used_at is null returning email, role`,
)

type Changing = { tx: Sql; parts: Pick<Parts, 'clock'>; record: (change: Omit<Change, 'workspaceId'>) => Promise<void> }

/** Of a person who is no longer an owner. */
async function endInvitations({ tx, parts, record }: Changing, id: { workspaceId: string; userId: string }) {
  for (const { email, role } of await endInvitationsOf(tx, { ...id, at: parts.clock.now() })) {
    await record({ action: 'invitation.revoked', target: email, before: { role } })
  }
}

const role = z.enum(MEMBER_ROLES)
const userId = z.string().max(100)

/** Members and invitations. The page shows links to copy, because Doorcode sends no email. */
export const people = router({
  /** Only owners see invitations, second factors and when a person was last seen. */
  list: readCall.query(async ({ ctx: { parts, membership }, input: { workspaceId } }) => {
    const members = await listMembers(parts.db, workspaceId)
    if (membership.role === 'owner')
      return { members, invitations: await parts.db.rows(selectInvitations, [workspaceId, parts.clock.now()]) }
    return { members: members.map((member) => ({ ...member, twoFactor: null, lastSeenAt: null })), invitations: [] }
  }),

  invite: ownerChange
    .input(z.object({ email: emailInput, role }))
    .mutation(async ({ ctx: { tx, parts, person, record }, input: { workspaceId, email, role } }) => {
      const at = parts.clock.now()
      const members = await listMembers(tx, workspaceId)
      if (members.some((each) => each.email === email.toLowerCase())) throw emailError({ code: 'admin.is_here' })
      const invitations = await tx.rows(selectInvitations, [workspaceId, at])
      const open = invitations.filter(({ isExpired }) => !isExpired)
      if (open.length >= MAX_INVITATIONS) throw emailError({ code: 'admin.people_too_many', max: MAX_INVITATIONS })
      const invitation = { purpose: 'invitation' as const, workspaceId, email, role, createdBy: person.userId, at }
      const { linkId, token, expiresAt } = await createLink(tx, invitation)
      await record({ action: 'invitation.created', target: email.toLowerCase(), after: { role } })
      return { invitationId: linkId, token, expiresAt }
    }),

  revokeInvitation: ownerChange
    .input(z.object({ invitationId: z.uuid() }))
    .mutation(async ({ ctx: { tx, record }, input: { workspaceId, invitationId } }) => {
      const { email, role } = found(await tx.row(deleteInvitation, [workspaceId, invitationId]), 'open_invitation')
      await record({ action: 'invitation.revoked', target: email, before: { role } })
    }),

  changeRole: ownerChange.input(z.object({ userId, role })).mutation(async ({ ctx, input: { role, ...id } }) => {
    const { tx, record } = ctx
    const { email, role: before } = found(await changeRole(tx, id, role), 'person')
    if (before === role) return
    await record({ action: 'member.role_changed', target: email, before: { role: before }, after: { role } })
    if (role !== 'owner') await endInvitations(ctx, id)
  }),

  remove: ownerChange.input(z.object({ userId })).mutation(async ({ ctx, input }) => {
    const { tx, record } = ctx
    const { email, role } = found(await removeMember(tx, input), 'person')
    await deleteLinks(tx, { purpose: 'invitation', workspaceId: input.workspaceId, email })
    await record({ action: 'member.removed', target: email, before: { role } })
    await endInvitations(ctx, input)
  }),

  leave: readCall.use(inTransaction).mutation(async ({ ctx, input: { workspaceId } }) => {
    const { tx, person, record } = ctx
    const id = { workspaceId, userId: person.userId }
    const { email, role } = found(await removeMember(tx, id), 'person')
    await record({ action: 'member.left', target: email, before: { role } })
    await endInvitations(ctx, id)
  }),

  /** The creator could use the link too, so only operators create one, and only the command line one for an operator. */
  makePasswordLink: ownerChange
    .input(z.object({ userId, endsSecondFactor: z.boolean() }))
    .mutation(async ({ ctx: { tx, parts, person, membership, record }, input }) => {
      if (!membership.operator) throw new CallError('FORBIDDEN', { code: 'admin.people_operators_only' })
      const members = await listMembers(tx, input.workspaceId)
      const { email, operator } = found(
        members.find((member) => member.userId === input.userId),
        'person',
      )
      const command = `doorcode person link ${email}`
      if (operator) throw new CallError('FORBIDDEN', { code: 'admin.of_an_operator', email, command })
      const { endsSecondFactor } = input
      const by = { createdBy: person.userId, at: parts.clock.now() }
      const { token, expiresAt } = await createLink(tx, { purpose: 'password', email, endsSecondFactor, ...by })
      const change = { workspaceId: null, action: 'person.password_link_made' as const, target: email }
      await record({ ...change, after: { endsSecondFactor } })
      return { token, expiresAt }
    }),
})
