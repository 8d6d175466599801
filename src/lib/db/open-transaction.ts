/**
 * A transaction of any session on the server, or a prepared one. What a database user may not see of the sessions of others
 * without pg_read_all_stats is null.
 */
export type OpenTransaction = {
  /** Null for a prepared transaction, which has a name instead. */
  pid: number | null
  gid: string | null
  database: string
  user: string | null
  /** Its application_name. */
  program: string | null
  state: string | null
  openMs: number | null
  /** Its commit is stored here. Ending its session would make the commit visible without the standby's copy. */
  waitsForStandby: boolean
}

/** SQL: the columns, from a row a of pg_stat_activity or a row p of pg_prepared_xacts. The query is left out: it may hold values. */
export const OPEN_TRANSACTION = `a.pid, p.gid, coalesce(a.datname, p.database)::text as database, coalesce(a.usename, p.owner)::text as user,
     nullif(a.application_name, '') as program, a.state,
     round(extract(epoch from clock_timestamp() - coalesce(a.xact_start, p.prepared)) * 1000)::float8 as "openMs",
     a.wait_event is not distinct from 'SyncRep' as "waitsForStandby"`

/**
 * SQL: joins a row l of pg_locks with its prepared transaction p, which no session has. By the lock on its number: it keeps the
 * virtual number of its session, and has the one of PostgreSQL's manual (-1/…) only after a restart.
 */
export const JOIN_PREPARED = `left join lateral (
     select transactionid from pg_locks
     where l.pid is null and pid is null and virtualtransaction = l.virtualtransaction and locktype = 'transactionid' limit 1) x on true
   left join pg_prepared_xacts p on p.transaction = x.transactionid`
