import { type Sql, statement } from '../db.ts'

const mayFoundOf = statement<{ may: boolean }>(
  'may_create_workspaces',
  `select exists (select from operators o where o.user_id = $1)
     or exists (select m.workspace_id from members m where m.user_id = $1 and m.role = 'owner') as may`,
)

/** Whether somebody may make another workspace: who runs the instance, and who owns one already. */
export const mayFound = async (sql: Sql, userId: string): Promise<boolean> =>
  (await sql.row(mayFoundOf, [userId]))?.may ?? false
