import { type Sql, statement } from '../../lib/db/pool.ts'
import { MAKER_IS_OWNER } from './links.ts'
import type { MemberRole } from './members.ts'

export type Invitation = {
  invitationId: string
  email: string
  role: MemberRole
  invitedBy: string | null
  createdAt: Date
  expiresAt: Date
  isExpired: boolean
}

export const MAX_INVITATIONS = 200

const selectInvitations = statement<Invitation>(
  'list_invitations',
  `select l.id as "invitationId", l.email, l.role, l.created_at as "createdAt", l.expires_at as "expiresAt",
     l.expires_at <= $2 as "isExpired",
     (select u."email" from auth."user" u where u."id" = l.created_by) as "invitedBy"
   from access_links l
   where l.workspace_id = $1 and l.purpose = 'invitation' and l.used_at is null and ${MAKER_IS_OWNER}
   order by l.expires_at <= $2, l.id desc limit ${MAX_INVITATIONS}`,
)

/** The open ones before the expired ones, each newest first. */
export const listInvitations = (
  sql: Sql,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<Invitation[]> => sql.rows(selectInvitations, [workspaceId, at])

const deleteOpen = statement<{ email: string; role: MemberRole }>(
  'revoke_invitation',
  `delete from access_links
   where workspace_id = $1 and id = $2 and purpose = 'invitation' and used_at is null returning email, role`,
)

/** Returns undefined if the workspace has no such invitation. */
export const deleteInvitation = (
  tx: Sql,
  { workspaceId, invitationId }: { workspaceId: string; invitationId: string },
): Promise<{ email: string; role: MemberRole } | undefined> => tx.row(deleteOpen, [workspaceId, invitationId])
