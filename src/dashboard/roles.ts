/** From the least to the most: each may do what those before it may. */
export const MEMBER_ROLES = ['member', 'admin', 'owner'] as const
/** member: reads. admin: changes. owner: people and allowances as well. */
export type MemberRole = (typeof MEMBER_ROLES)[number]

export const mayAct = (role: MemberRole, least: MemberRole): boolean =>
  MEMBER_ROLES.indexOf(role) >= MEMBER_ROLES.indexOf(least)
