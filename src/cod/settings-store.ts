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

/** `updatedAt` tells one version from all others: it rises with each, also within a millisecond. */
export type StoredSettings = { settings: CodSettings; updatedAt: Date }

const selectStored = statement<StoredSettings>(
  'find_cod_settings_version',
  'select document as settings, updated_at as "updatedAt" from cod_settings where workspace_id = $1',
)

/** Undefined when the workspace has never set any. */
export const findStoredSettings = (sql: Sql, workspaceId: string): Promise<StoredSettings | undefined> =>
  sql.row(selectStored, [workspaceId])

const upsertSettings = statement<{ updatedAt: Date }>(
  'set_cod_settings',
  `insert into cod_settings (workspace_id, document, updated_at) values ($1, $2, $3)
   on conflict (workspace_id) do update set document = excluded.document,
     updated_at = greatest(excluded.updated_at, cod_settings.updated_at + interval '1 millisecond')
   returning updated_at as "updatedAt"`,
)

/** As a whole. Checks under way take them up when they next act (contract §4). */
export async function setCodSettings(
  sql: Sql,
  clock: Clock,
  { workspaceId, settings }: { workspaceId: string; settings: CodSettings },
): Promise<void> {
  await sql.rows(upsertSettings, [workspaceId, JSON.stringify(settings), clock.now()])
}

const lockStored = statement<StoredSettings>(
  'lock_cod_settings',
  'select document as settings, updated_at as "updatedAt" from cod_settings where workspace_id = $1 for update',
)

/** As they are, and nobody else sets them until the end of the transaction. Undefined when there are none. */
export const lockCodSettings = (tx: Sql, workspaceId: string): Promise<StoredSettings | undefined> =>
  tx.row(lockStored, [workspaceId])

const insertFirst = statement<{ updatedAt: Date }>(
  'insert_first_cod_settings',
  `insert into cod_settings (workspace_id, document, updated_at) values ($1, $2, $3)
   on conflict (workspace_id) do nothing returning updated_at as "updatedAt"`,
)

export type Replacing = {
  workspaceId: string
  settings: CodSettings
  /** The version that the new one was made from; null when there was none. */
  basedOn: Date | null
}

export type Replaced = { before: StoredSettings | undefined; updatedAt: Date }

/** Undefined when somebody else set them since that version: then nothing is written. */
export async function replaceCodSettings(
  tx: Sql,
  clock: Clock,
  { workspaceId, settings, basedOn }: Replacing,
): Promise<Replaced | undefined> {
  const before = await lockCodSettings(tx, workspaceId)
  if (before?.updatedAt.getTime() !== basedOn?.getTime()) return undefined
  const statement = before ? upsertSettings : insertFirst
  const row = await tx.row(statement, [workspaceId, JSON.stringify(settings), clock.now()])
  return row && { before, updatedAt: row.updatedAt }
}
