import { type Sql, statement } from '../db.ts'

const selectWorkspace = statement<{ workspaceId: string }>(
  'find_workspace_of_key',
  'select workspace_id as "workspaceId" from api_keys where public_id = $1',
)

/** For the command line, which knows a key by its public id alone. Null for a key that nobody has made. */
export const findWorkspaceOfKey = async (sql: Sql, publicId: string): Promise<string | null> =>
  (await sql.row(selectWorkspace, [publicId]))?.workspaceId ?? null
