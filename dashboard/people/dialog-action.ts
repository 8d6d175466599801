import type { RouterOutputs } from '../api.ts'

type ListedPeople = RouterOutputs['people']['list']
export type Member = ListedPeople['members'][number]
export type Invitation = ListedPeople['invitations'][number]

export type DialogAction =
  | { act: 'invite' }
  | { act: 'role' | 'remove' | 'password'; member: Member }
  | { act: 'link' | 'revoke'; invitation: Invitation }
