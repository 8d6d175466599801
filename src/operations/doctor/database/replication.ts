import { MINUTE_MS } from '../../../lib/clock.ts'
import { type Sql, statement } from '../../../lib/db/pool.ts'
import { type NewFinding, durationText } from '../finding.ts'

/** A row of pg_stat_replication. Members that the database user may not see are null. */
export type Standby = { name: string; syncState: string | null; lagMs: number | null; lagBytes: number | null }

/** A replication slot that no one uses. It keeps WAL, and perhaps old row versions, until it is used or dropped. */
export type IdleSlot = { name: string; keptBytes: number }

export type Replication = { standbys: readonly Standby[]; waitsForStandby: boolean; idleSlots: readonly IdleSlot[] }

/** Each is a server. */
const MAX_STANDBYS = 100
/** Each is a finding. */
const MAX_IDLE_SLOTS = 20

const selectStandbys = statement<Standby>(
  'list_standbys',
  `select coalesce(nullif(application_name, ''), 'pid ' || pid) as name, sync_state as "syncState",
     round(extract(epoch from replay_lag) * 1000)::float8 as "lagMs",
     case when pg_is_in_recovery() then null else pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) end::float8 as "lagBytes"
   from pg_stat_replication where state is distinct from 'backup' order by pid limit ${MAX_STANDBYS}`,
)

const selectWaits = statement<{ waits: boolean }>(
  'find_synchronous_replication',
  `select current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local')
     as waits`,
)

/** A slot that has never been used keeps nothing. */
const selectIdleSlots = statement<IdleSlot>(
  'list_idle_replication_slots',
  `select slot_name::text as name,
     coalesce(case when not pg_is_in_recovery() then pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) end, 0)::float8 as "keptBytes"
   from pg_replication_slots
   where not active and coalesce(restart_lsn::text, xmin::text, catalog_xmin::text) is not null
   order by restart_lsn nulls last, slot_name limit ${MAX_IDLE_SLOTS}`,
)

export const readReplication = async (sql: Sql): Promise<Replication> => ({
  standbys: await sql.rows(selectStandbys),
  waitsForStandby: (await sql.row(selectWaits))?.waits ?? false,
  idleSlots: await sql.rows(selectIdleSlots),
})

const MAX_LAG_MS = MINUTE_MS
const MAX_LAG_BYTES = 256 * 1024 * 1024
const IN_SYNC = new Set(['sync', 'quorum'])

export function checkReplication({ standbys, waitsForStandby, idleSlots }: Replication): NewFinding[] {
  const found: NewFinding[] = []
  if (waitsForStandby && !standbys.some(({ syncState }) => syncState === null || IN_SYNC.has(syncState)))
    found.push({ code: 'standby_missing' })
  for (const { name, lagMs, lagBytes } of standbys)
    if ((lagMs ?? 0) > MAX_LAG_MS || (lagBytes ?? 0) > MAX_LAG_BYTES)
      found.push({
        code: 'standby_lags',
        name,
        duration: durationText(lagMs ?? 0),
        megabytes: Math.round((lagBytes ?? 0) / 1024 / 1024),
      })
  for (const { name, keptBytes } of idleSlots)
    found.push({ code: 'slot_inactive', name, megabytes: Math.round(keptBytes / 1024 / 1024) })
  return found
}
