import { type Sql, statement } from '../db.ts'
import type { MemberRole } from './roles.ts'

/** A workspace that somebody may look into, and what it shows them of itself. */
export type Membership = {
  workspaceId: string
  name: string
  sandbox: boolean
  role: MemberRole
  /** Whether this person runs the whole instance. */
  operator: boolean
  /** How far a sandbox's clock is ahead, ms. */
  clockOffsetMs: number
  /** IANA zone of deliveries, in which the dashboard shows times. UTC until the COD settings name one. */
  timeZone: string
}

const MEMBERSHIP = `w.id as "workspaceId", w.name, w.sandbox, w.clock_offset_ms as "clockOffsetMs",
   coalesce((select s.document ->> 'timeZone' from cod_settings s where s.workspace_id = w.id), 'UTC') as "timeZone",
   case when exists (select from operators o where o.user_id = $1) then 'owner' else m.role end as role,
   exists (select from operators o where o.user_id = $1) as operator`

const MAY_SEE = `(m.role is not null or exists (select from operators o where o.user_id = $1))`

const findMembershipOf = statement<Membership>(
  'find_membership',
  `select ${MEMBERSHIP} from workspaces w
   left join members m on m.workspace_id = w.id and m.user_id = $1
   where w.id = $2 and ${MAY_SEE}`,
)

/** Undefined for a workspace that is missing, and in the same way for one that is somebody else's. */
export const findMembership = (
  sql: Sql,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<Membership | undefined> => sql.row(findMembershipOf, [userId, workspaceId])

/** The most in one list; an operator of more finds the others by their id. */
const WORKSPACES_MOST = 200

const listMembershipsOf = statement<Membership>(
  'list_memberships',
  `select ${MEMBERSHIP} from workspaces w
   left join members m on m.workspace_id = w.id and m.user_id = $1
   where ${MAY_SEE} order by w.name, w.id limit ${WORKSPACES_MOST}`,
)

export const listMemberships = (sql: Sql, userId: string): Promise<Membership[]> =>
  sql.rows(listMembershipsOf, [userId])
