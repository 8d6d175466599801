import { type Sql, statement } from '../db.ts'

/** What people see of a key: never its secret. */
export type ListedKey = {
  publicId: string
  name: string
  createdAt: Date
  lastUsedAt: Date | null
  expiresAt: Date | null
  revokedAt: Date | null
}

/** Far more than a workspace has use for. */
const KEYS_MOST = 500

const selectKeys = statement<ListedKey>(
  'list_api_keys',
  `select public_id as "publicId", name, created_at as "createdAt", last_used_at as "lastUsedAt",
     expires_at as "expiresAt", revoked_at as "revokedAt"
   from api_keys where workspace_id = $1 order by created_at desc, public_id limit ${KEYS_MOST}`,
)

const selectKey = statement<ListedKey>(
  'find_api_key',
  `select public_id as "publicId", name, created_at as "createdAt", last_used_at as "lastUsedAt",
     expires_at as "expiresAt", revoked_at as "revokedAt"
   from api_keys where workspace_id = $1 and public_id = $2`,
)

/** Undefined for a key of another workspace as well. */
export const findKey = (
  sql: Sql,
  { workspaceId, publicId }: { workspaceId: string; publicId: string },
): Promise<ListedKey | undefined> => sql.row(selectKey, [workspaceId, publicId])

/** Newest first. */
export const listKeys = (sql: Sql, workspaceId: string): Promise<ListedKey[]> => sql.rows(selectKeys, [workspaceId])
