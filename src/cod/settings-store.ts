import type { Clock } from '../clock.ts'
import { type Sql, statement } from '../db.ts'
import type { CodSettings } from './settings.ts'

const selectSettings = statement<{ document: CodSettings }>(
  'find_cod_settings',
  'select document from cod_settings where workspace_id = $1',
)

/** Undefined when the workspace has never set any. */
export async function findCodSettings(sql: Sql, workspaceId: string): Promise<CodSettings | undefined> {
  return (await sql.row(selectSettings, [workspaceId]))?.document
}

const upsertSettings = statement(
  'set_cod_settings',
  `insert into cod_settings (workspace_id, document, updated_at) values ($1, $2, $3)
   on conflict (workspace_id) do update set document = excluded.document, updated_at = excluded.updated_at`,
)

/** As a whole. Checks under way take them up when they next act (contract §4). */
export async function setCodSettings(
  sql: Sql,
  clock: Clock,
  { workspaceId, settings }: { workspaceId: string; settings: CodSettings },
): Promise<void> {
  await sql.rows(upsertSettings, [workspaceId, JSON.stringify(settings), clock.now()])
}
