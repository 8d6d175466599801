import { type Sql, statement } from '../db.ts'
import { sentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import type { MemberRole } from './roles.ts'

/** Who is in a workspace, by themselves or because they run the instance. */
export type Member = {
  userId: string
  name: string
  email: string
  role: MemberRole
  /** Runs the whole instance: an owner here without being a member. */
  operator: boolean
  /** Null for those who may not know: it tells whose password alone would do. */
  twoFactor: boolean | null
  /** Null for operators who are no members. */
  since: Date | null
}

const MEMBERS_MOST = 500

const listOf = statement<Member>(
  'list_members',
  `select u."id" as "userId", u."name", u."email", coalesce(u."twoFactorEnabled", false) as "twoFactor",
     case when o.user_id is null then m.role else 'owner' end as role, o.user_id is not null as operator,
     m.created_at as since
   from (select user_id from members where workspace_id = $1 union select user_id from operators) here
   join auth."user" u on u."id" = here.user_id
   left join members m on m.workspace_id = $1 and m.user_id = here.user_id
   left join operators o on o.user_id = here.user_id
   order by u."email" limit ${MEMBERS_MOST}`,
)

export const listMembers = (sql: Sql, workspaceId: string): Promise<Member[]> => sql.rows(listOf, [workspaceId])

const insertOperator = statement('insert_operator', 'insert into operators (user_id) values ($1)')

export const makeOperator = async (tx: Sql, userId: string): Promise<void> => {
  await tx.rows(insertOperator, [userId])
}

const insertMember = statement(
  'insert_member',
  `insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, $4)
   on conflict (workspace_id, user_id) do nothing`,
)

export type NewMember = { workspaceId: string; userId: string; role: MemberRole; at: Date }

/** Whoever is a member already keeps their role. */
export async function addMember(tx: Sql, { workspaceId, userId, role, at }: NewMember): Promise<void> {
  await tx.rows(insertMember, [workspaceId, userId, role, at])
}

export type MemberId = { workspaceId: string; userId: string }

/** The first statement of whatever may take away an owner: two who go at once do it one after the other. */
const lockOwners = statement<{ user_id: string }>(
  'lock_owners',
  `select user_id from members where workspace_id = $1 and role = 'owner' order by user_id for update`,
)

const lockMember = statement<{ role: MemberRole; email: string }>(
  'lock_member',
  `select m.role, (select u."email" from auth."user" u where u."id" = m.user_id) as email
   from members m where m.workspace_id = $1 and m.user_id = $2 for update`,
)

const hasOperators = statement<{ any: boolean }>('has_operators', 'select exists (select from operators) as any')

const updateRole = statement('set_role', 'update members set role = $3 where workspace_id = $1 and user_id = $2')

/** Undefined when there is no such member. Throws SetupRefused for the last owner. */
export async function changeRole(
  tx: Sql,
  { workspaceId, userId }: MemberId,
  role: MemberRole,
): Promise<{ before: MemberRole; email: string } | undefined> {
  const owners = await tx.rows(lockOwners, [workspaceId])
  const member = await tx.row(lockMember, [workspaceId, userId])
  if (!member) return undefined
  if (role !== 'owner') await mustNotBeLastOwner(tx, owners, userId)
  await tx.rows(updateRole, [workspaceId, userId, role])
  return { before: member.role, email: member.email }
}

const deleteMember = statement('delete_member', 'delete from members where workspace_id = $1 and user_id = $2')

/** Undefined when there is no such member. Throws SetupRefused for the last owner. Each call asks anew: it holds at once. */
export async function removeMember(
  tx: Sql,
  { workspaceId, userId }: MemberId,
): Promise<{ role: MemberRole; email: string } | undefined> {
  const owners = await tx.rows(lockOwners, [workspaceId])
  const member = await tx.row(lockMember, [workspaceId, userId])
  if (!member) return undefined
  await mustNotBeLastOwner(tx, owners, userId)
  await tx.rows(deleteMember, [workspaceId, userId])
  return member
}

async function mustNotBeLastOwner(tx: Sql, owners: readonly { user_id: string }[], userId: string): Promise<void> {
  const isLast = owners.length === 1 && owners[0]?.user_id === userId
  if (isLast && !(await tx.row(hasOperators))?.any) {
    throw new SetupRefused(says.lastOwner)
  }
}

const says = sentences({
  lastOwner: {
    en: 'This is the last owner of the workspace. Make somebody else an owner first.',
    ar: 'هذا آخر مالك لمساحة العمل. اجعل شخصًا آخر مالكًا أولًا.',
  },
})
