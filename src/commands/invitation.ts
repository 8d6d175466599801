import { listInvitations } from '../admin/auth/invitations.ts'
import { columns, command } from './command.ts'
import { workspace } from './inputs.ts'

export const invitationList = command({
  words: 'invitation list',
  example: '--workspace 01a1fa06-709a-73f6-8b1e-b4852403567f',
  summary: 'List the pending and expired invitations to a workspace.',
  options: { workspace },
  async run({ db, clock }, { workspace: workspaceId }) {
    return { workspaceId, invitations: await listInvitations(db, { workspaceId, at: clock.now() }) }
  },
  format: ({ invitations }) =>
    columns(
      ['EMAIL', 'ROLE', 'EXPIRES', 'INVITED BY'],
      invitations.map(({ email, role, expiresAt, isExpired, invitedBy }) => [
        email,
        role,
        isExpired ? `${expiresAt.toISOString()} (expired)` : expiresAt.toISOString(),
        invitedBy ?? '',
      ]),
    ) ?? 'The workspace has no pending invitations.',
})
