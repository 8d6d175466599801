import { type Sql, statement } from '../../lib/db/pool.ts'
import { UserError } from '../../lib/errors.ts'

/** In ascending order. Members read, admins change, and owners also manage people and quotas and delete the workspace. */
export const MEMBER_ROLES = ['member', 'admin', 'owner'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

export const hasRole = (role: MemberRole, minRole: MemberRole): boolean =>
  MEMBER_ROLES.indexOf(role) >= MEMBER_ROLES.indexOf(minRole)

/** A workspace that the user may see. */
export type Membership = {
  workspaceId: string
  name: string
  sandbox: boolean
  role: MemberRole
  operator: boolean
  /** How far a sandbox's clock is ahead, ms. */
  clockOffsetMs: number
  /** The IANA time zone of deliveries, for the dashboard's times. UTC without COD settings. */
  timeZone: string
  /** When the workspace will be deleted, unless that is cancelled. */
  deletionDueAt: Date | null
}

const IS_OPERATOR = 'exists (select from operators o where o.user_id = $1)'

const MEMBERSHIPS = `select w.id as "workspaceId", w.name, w.sandbox, w.clock_offset_ms as "clockOffsetMs",
     w.deletion_due_at as "deletionDueAt",
     coalesce((select s.document ->> 'timeZone' from cod_settings s where s.workspace_id = w.id), 'UTC') as "timeZone",
     case when ${IS_OPERATOR} then 'owner' else m.role end as role, ${IS_OPERATOR} as operator
   from workspaces w
   left join members m on m.workspace_id = w.id and m.user_id = $1
   where w.deleted_at is null and (m.role is not null or ${IS_OPERATOR})`

const selectMembership = statement<Membership>('find_membership', `${MEMBERSHIPS} and w.id = $2`)

type MemberId = { workspaceId: string; userId: string }

/** Returns undefined for a missing workspace and for one that the user may not see. */
export const findMembership = (sql: Sql, { userId, workspaceId }: MemberId): Promise<Membership | undefined> =>
  sql.row(selectMembership, [userId, workspaceId])

/** An operator of more workspaces opens the others by their address. */
const MAX_WORKSPACES = 200

/** More than a demo month and its tests make. A page adds up earlier moves: it shows what happened before them a little too late. */
const MAX_CLOCK_MOVES = 2_000

export type ListedMembership = Membership & {
  /** The latest moves of a sandbox's clock, oldest first. `at`: Unix time in ms. */
  clockMoves: { at: number; byMs: number }[]
  /** What is being done to a whole sandbox. `share`: how much of a fill is finished, from 0 to 1. */
  sandboxWork: { kind: 'fill' | 'empty'; share: number | null } | null
  /** Who requested the pending deletion, as the audit log names them. */
  deletionRequestedBy: string | null
}

/** SQL: the memberships of a query, with what pages show of each. */
const listed = (memberships: string): string => `select listed.*, coalesce(
     (select jsonb_agg(jsonb_build_object('at', floor(extract(epoch from m.moved_at) * 1000), 'byMs', m.by_ms)
        order by m.moved_at)
      from (select moved_at, by_ms from clock_moves where workspace_id = listed."workspaceId"
            order by moved_at desc limit ${MAX_CLOCK_MOVES}) m), '[]') as "clockMoves",
     (select jsonb_build_object('kind', s.kind, 'share', extract(epoch from s.done_until - s.from_at)
        / extract(epoch from s.requested_at + s.until_offset_ms * interval '1 ms' - s.from_at))
      from sandbox_work s where s.workspace_id = listed."workspaceId") as "sandboxWork",
     case when listed."deletionDueAt" is not null then
       (select who from audit_log where workspace_id = listed."workspaceId" and action = 'workspace.deletion_requested'
        order by id desc limit 1) end as "deletionRequestedBy"
   from (${memberships}) listed`

const selectMemberships = statement<ListedMembership>(
  'list_memberships',
  `${listed(`${MEMBERSHIPS} order by w.name, w.id limit ${MAX_WORKSPACES}`)}
   order by listed.name, listed."workspaceId"`,
)

export const listMemberships = (sql: Sql, userId: string): Promise<ListedMembership[]> =>
  sql.rows(selectMemberships, [userId])

const selectListedMembership = statement<ListedMembership>(
  'find_listed_membership',
  listed(`${MEMBERSHIPS} and w.id = $2`),
)

/** As `listMemberships` returns it, whether or not that lists it. */
export const findListedMembership = (
  sql: Sql,
  { userId, workspaceId }: MemberId,
): Promise<ListedMembership | undefined> => sql.row(selectListedMembership, [userId, workspaceId])

const selectMayCreate = statement<{ may: boolean }>(
  'may_create_workspaces',
  `select ${IS_OPERATOR}
     or exists (select m.workspace_id from members m where m.user_id = $1 and m.role = 'owner') as may`,
)

export const mayCreateWorkspace = async (sql: Sql, userId: string): Promise<boolean> =>
  (await sql.row(selectMayCreate, [userId]))?.may ?? false

/** A member of the workspace or an operator of the instance. */
export type Member = {
  userId: string
  name: string
  email: string
  role: MemberRole
  /** Operators run the instance and are owners of every workspace. */
  operator: boolean
  /** Null for readers who are not owners: it shows which accounts need only a password. */
  twoFactor: boolean | null
  /**
   * The last use of a session, or the last sign-in, precise to ten minutes. Null for readers who are not owners, and before the
   * first sign-in.
   */
  lastSeenAt: Date | null
  /** Null for operators who are not members. */
  since: Date | null
}

const MAX_MEMBERS = 500

const selectMembers = statement<Member>(
  'list_members',
  `select u."id" as "userId", u."name", u."email", coalesce(u."twoFactorEnabled", false) as "twoFactor",
     case when o.user_id is null then m.role else 'owner' end as role, o.user_id is not null as operator,
     m.created_at as since,
     greatest(
       (select max(s."updatedAt") from auth."session" s where s."userId" = here.user_id),
       (select a.at from audit_log a where a.workspace_id is null and a.user_id = here.user_id
        order by a.id desc limit 1)) as "lastSeenAt"
   from (select user_id from members where workspace_id = $1 union select user_id from operators) here
   join auth."user" u on u."id" = here.user_id
   left join members m on m.workspace_id = $1 and m.user_id = here.user_id
   left join operators o on o.user_id = here.user_id
   order by u."email" limit ${MAX_MEMBERS}`,
)

export const listMembers = (sql: Sql, workspaceId: string): Promise<Member[]> => sql.rows(selectMembers, [workspaceId])

const selectHasOperators = statement<{ any: boolean }>('has_operators', 'select exists (select from operators) as any')

export const hasOperators = async (sql: Sql): Promise<boolean> => (await sql.row(selectHasOperators))?.any ?? false

const insertOperator = statement('insert_operator', 'insert into operators (user_id) values ($1)')

export const addOperator = (tx: Sql, userId: string): Promise<unknown> => tx.rows(insertOperator, [userId])

const insertMember = statement(
  'insert_member',
  `insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, $4)
   on conflict (workspace_id, user_id) do nothing`,
)

/** An existing member keeps the role. */
export const addMember = (
  tx: Sql,
  { workspaceId, userId, role, at }: MemberId & { role: MemberRole; at: Date },
): Promise<unknown> => tx.rows(insertMember, [workspaceId, userId, role, at])

const lockOwners = statement<{ user_id: string }>(
  'lock_owners',
  `select user_id from members where workspace_id = $1 and role = 'owner' order by user_id for update`,
)

type LockedMember = { role: MemberRole; email: string }

const lockMember = statement<LockedMember>(
  'lock_member',
  `select m.role, (select u."email" from auth."user" u where u."id" = m.user_id) as email
   from members m where m.workspace_id = $1 and m.user_id = $2 for update`,
)

/** Locks the owners first, so that changes that may remove an owner run one after the other. */
async function lockMemberFor(tx: Sql, { workspaceId, userId }: MemberId, newRole: MemberRole | undefined) {
  const owners = await tx.rows(lockOwners, [workspaceId])
  const member = await tx.row(lockMember, [workspaceId, userId])
  const isLastOwner = owners.length === 1 && owners[0]?.user_id === userId
  if (isLastOwner && newRole !== 'owner' && !(await hasOperators(tx))) throw new UserError({ code: 'admin.last_owner' })
  return member
}

const updateRole = statement('set_role', 'update members set role = $3 where workspace_id = $1 and user_id = $2')

/** The member before the change; undefined when there is none. Throws UserError for the last owner. */
export async function changeRole(tx: Sql, id: MemberId, role: MemberRole): Promise<LockedMember | undefined> {
  const member = await lockMemberFor(tx, id, role)
  if (member) await tx.rows(updateRole, [id.workspaceId, id.userId, role])
  return member
}

const deleteMember = statement('delete_member', 'delete from members where workspace_id = $1 and user_id = $2')

/** Returns undefined if there is no such member. Throws UserError for the last owner. Takes effect with the next call. */
export async function removeMember(tx: Sql, id: MemberId): Promise<LockedMember | undefined> {
  const member = await lockMemberFor(tx, id, undefined)
  if (member) await tx.rows(deleteMember, [id.workspaceId, id.userId])
  return member
}
