import type { Clock } from '../../lib/clock.ts'
import { type Sql, statement } from '../../lib/db/pool.ts'
import type { CodSettings } from './settings.ts'

/** `updatedAt` identifies a version: it increases with each, even within a millisecond. */
export type StoredSettings = { settings: CodSettings; updatedAt: Date }

const SELECT = 'select document as settings, updated_at as "updatedAt" from cod_settings where workspace_id = $1'

const selectStored = statement<StoredSettings>('find_cod_settings', SELECT)

export const findStoredSettings = (sql: Sql, workspaceId: string): Promise<StoredSettings | undefined> =>
  sql.row(selectStored, [workspaceId])

const upsertSettings = statement<{ updatedAt: Date }>(
  'set_cod_settings',
  `insert into cod_settings (workspace_id, document, updated_at) values ($1, $2, $3)
   on conflict (workspace_id) do update set document = excluded.document,
     updated_at = greatest(excluded.updated_at, cod_settings.updated_at + interval '1 millisecond')
   returning updated_at as "updatedAt"`,
)

/** Running checks use them from their next step on (docs/cod.md#timers). */
export async function setCodSettings(
  sql: Sql,
  clock: Clock,
  { workspaceId, settings }: { workspaceId: string; settings: CodSettings },
): Promise<void> {
  await sql.rows(upsertSettings, [workspaceId, JSON.stringify(settings), clock.now()])
}

const lockStored = statement<StoredSettings>('lock_cod_settings', `${SELECT} for update`)

/** Locks the settings until the end of the transaction. Returns undefined if there are none. */
const lockCodSettings = (tx: Sql, workspaceId: string): Promise<StoredSettings | undefined> =>
  tx.row(lockStored, [workspaceId])

const insertFirst = statement<{ updatedAt: Date }>(
  'insert_first_cod_settings',
  `insert into cod_settings (workspace_id, document, updated_at) values ($1, $2, $3)
   on conflict (workspace_id) do nothing returning updated_at as "updatedAt"`,
)

/**
 * `basedOn`: the version that was edited; null if there was none; undefined to replace any version. Returns undefined, without a
 * write, if the settings have changed since that version.
 */
export async function replaceCodSettings(
  tx: Sql,
  clock: Clock,
  { workspaceId, settings, basedOn }: { workspaceId: string; settings: CodSettings; basedOn: Date | null | undefined },
): Promise<{ before: StoredSettings | undefined; updatedAt: Date } | undefined> {
  const before = await lockCodSettings(tx, workspaceId)
  if (basedOn !== undefined && before?.updatedAt.getTime() !== basedOn?.getTime()) return undefined
  const write = basedOn === null ? insertFirst : upsertSettings
  const row = await tx.row(write, [workspaceId, JSON.stringify(settings), clock.now()])
  return row && { before, updatedAt: row.updatedAt }
}
