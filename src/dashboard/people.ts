import { z } from 'zod'
import { type Sql } from '../db.ts'
import { keptSentences } from '../sentences.ts'
import { audit } from './audit.ts'
import { CallRefused } from './call-refused.ts'
import {
  INVITATIONS_MOST,
  endInvitations,
  listInvitations,
  makeInvitation,
  makePasswordLink,
  revokeInvitation,
} from './links.ts'
import { type Member, changeRole, listMembers, removeMember } from './members.ts'
import { addressRefused } from './person.ts'
import { MEMBER_ROLES } from './roles.ts'
import { emailInput } from './session.ts'
import { missing, owning, reading, router } from './trpc.ts'

const role = z.enum(MEMBER_ROLES)
const userId = z.string().max(100)

/** Who may look into a workspace and change it. Links are shown once, to copy: Doorcode sends no mail. */
export const people = router({
  /** Open invitations, and who has a second factor, are told to owners alone. */
  list: reading.query(async ({ ctx: { parts, membership }, input: { workspaceId } }) => {
    const members = await listMembers(parts.db, workspaceId)
    if (membership.role === 'owner') {
      return { members, invitations: await listInvitations(parts.db, workspaceId, parts.clock.now()) }
    }
    return { members: members.map((member) => ({ ...member, twoFactor: null })), invitations: [] }
  }),

  invite: owning
    .input(z.object({ email: emailInput, role }))
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, email, role } }) =>
      parts.db.transaction(async (tx) => {
        const at = parts.clock.now()
        await mustBeInvitable(tx, { workspaceId, email, now: at })
        const invitation = { workspaceId, email, role, createdBy: actor.userId, at }
        const { linkId, token, expiresAt } = await makeInvitation(tx, invitation)
        const change = { workspaceId, action: 'invitation.created', target: email.toLowerCase(), after: { role } }
        await audit(tx, { actor, at }, change)
        return { invitationId: linkId, token, expiresAt }
      }),
    ),

  revokeInvitation: owning
    .input(z.object({ invitationId: z.uuid() }))
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, invitationId } }) =>
      parts.db.transaction(async (tx) => {
        const revoked = await revokeInvitation(tx, { workspaceId, invitationId })
        if (!revoked) throw missing('open invitation')
        const { email, role } = revoked
        const change = { workspaceId, action: 'invitation.revoked', target: email, before: { role } }
        await audit(tx, { actor, at: parts.clock.now() }, change)
      }),
    ),

  changeRole: owning
    .input(z.object({ userId, role }))
    .mutation(({ ctx: { parts, actor }, input: { workspaceId, userId, role } }) =>
      parts.db.transaction(async (tx) => {
        const changed = await changeRole(tx, { workspaceId, userId }, role)
        if (!changed) throw missing('person')
        const { before, email } = changed
        if (before === role) return
        const change = { workspaceId, action: 'member.role_changed', target: email, before: { role: before } }
        await audit(tx, { actor, at: parts.clock.now() }, { ...change, after: { role } })
      }),
    ),

  /** They lose the workspace at their very next call. */
  remove: owning.input(z.object({ userId })).mutation(({ ctx: { parts, actor }, input: { workspaceId, userId } }) =>
    parts.db.transaction(async (tx) => {
      const removed = await removeMember(tx, { workspaceId, userId })
      if (!removed) throw missing('person')
      const { email, role } = removed
      await endInvitations(tx, { workspaceId, email })
      const change = { workspaceId, action: 'member.removed', target: email, before: { role } }
      await audit(tx, { actor, at: parts.clock.now() }, change)
    }),
  ),

  /** For oneself. */
  leave: reading.mutation(({ ctx: { parts, actor, person }, input: { workspaceId } }) =>
    parts.db.transaction(async (tx) => {
      const removed = await removeMember(tx, { workspaceId, userId: person.userId })
      if (!removed) throw missing('person')
      const { email, role } = removed
      const change = { workspaceId, action: 'member.left', target: email, before: { role } }
      await audit(tx, { actor, at: parts.clock.now() }, change)
    }),
  ),

  /**
   * A link with which somebody sets a new password. Whoever makes one could use it: so operators alone make them, and of
   * other operators only the machine's own command line.
   */
  makePasswordLink: owning
    .input(z.object({ userId, endsSecondFactor: z.boolean() }))
    .mutation(({ ctx: { parts, actor, membership }, input: { workspaceId, userId, endsSecondFactor } }) =>
      parts.db.transaction(async (tx) => {
        if (!membership.operator) throw new CallRefused('FORBIDDEN', says.operatorsOnly)
        const member = (await listMembers(tx, workspaceId)).find((each) => each.userId === userId)
        if (!member) throw missing('person')
        if (member.operator) throw ofAnOperator(member)
        const at = parts.clock.now()
        const { email } = member
        const made = await makePasswordLink(tx, { email, endsSecondFactor, createdBy: actor.userId, at })
        const change = { workspaceId: null, action: 'person.password_link_made', target: email }
        await audit(tx, { actor, at }, { ...change, after: { endsSecondFactor } })
        return { token: made.token, expiresAt: made.expiresAt }
      }),
    ),
})

async function mustBeInvitable(
  tx: Sql,
  { workspaceId, email, now }: { workspaceId: string; email: string; now: Date },
): Promise<void> {
  const members = await listMembers(tx, workspaceId)
  if (members.some((each) => each.email === email.toLowerCase())) throw addressRefused(says.isHere)
  const open = await listInvitations(tx, workspaceId, now)
  if (open.length >= INVITATIONS_MOST) {
    throw addressRefused(says.tooMany({ most: INVITATIONS_MOST }))
  }
}

const ofAnOperator = ({ email }: Member): CallRefused =>
  new CallRefused('FORBIDDEN', says.ofAnOperator({ email, command: `doorcode person link ${email}` }))

const says = keptSentences({
  isHere: { en: 'is here already', ar: 'موجود هنا من قبل' },
  tooMany: {
    en: 'cannot be invited while {most} invitations are open: revoke some first',
    ar: 'لا يمكن أن يُدعى وعدد الدعوات المفتوحة {most}: ألغِ بعضها أولًا',
  },
  operatorsOnly: {
    en: 'Only somebody who runs this instance can make a link for a new password.',
    ar: 'لا يستطيع إنشاء رابط لكلمة مرور جديدة إلا من يشغّل هذا النظام.',
  },
  ofAnOperator: {
    en: '{email} runs this instance. A link for them is made at the machine: {command}',
    ar: '{email} ممن يشغّلون هذا النظام. يُنشأ رابطه على الجهاز نفسه: {command}',
  },
})
