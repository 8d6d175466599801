import { setTimeout as wait } from 'node:timers/promises'
import { type CodedText, asWritten, coded } from '../../../../locales/text.ts'
import { MINUTE_MS, SECOND_MS } from '../../../lib/clock.ts'
import { JOIN_PREPARED, OPEN_TRANSACTION, type OpenTransaction } from '../../../lib/db/open-transaction.ts'
import { type Sql, type Statement, statement } from '../../../lib/db/pool.ts'
import type { HeldEvents } from '../../../events/held.ts'
import { type NewFinding, durationText } from '../finding.ts'

/** Doorcode's own transactions take milliseconds, and those of a migration or a restore minutes. */
const MAX_OPEN_MS = MINUTE_MS

export function checkHeldEvents({ transaction, number, heldMs }: HeldEvents): NewFinding[] {
  if (!transaction || transaction.waitsForStandby || heldMs <= MAX_OPEN_MS) return []
  const { gid, database } = transaction
  const held = { database, number, duration: durationText(heldMs) }
  return gid === null
    ? [{ code: 'events_held', ...held, ...sessionOf(transaction) }]
    : [{ code: 'events_held_by_prepared', ...held, gid, ...endsOf(gid) }]
}

/** The two ways to end a prepared transaction. */
function endsOf(gid: string) {
  const name = `'${gid.replaceAll("'", "''")}'`
  return { rollback: `rollback prepared ${name}`, commit: `commit prepared ${name}` }
}

function sessionOf({ pid, user, program, state }: OpenTransaction) {
  return { pid: String(pid), user: textOf(user), program: textOf(program), state: textOf(state) }
}

export type TransactionFacts = {
  /** Of the oldest transaction id, or the oldest group of row locks, in any database of the server. */
  idAge: number
  /** Of the oldest transaction in this database, as far as this database user can see, also if it only reads. */
  oldestMs: number
}

export const readTransactions = async (sql: Sql): Promise<TransactionFacts> =>
  (await sql.row(selectTransactions)) ?? { idAge: 0, oldestMs: 0 }

const selectTransactions: Statement<TransactionFacts> = statement(
  'read_transaction_ages',
  `select (select max(greatest(age(datfrozenxid), mxid_age(datminmxid))) from pg_database) as "idAge",
     coalesce(round(extract(epoch from clock_timestamp() - least(
       (select min(xact_start) from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()),
       (select min(prepared) from pg_prepared_xacts where database = current_database()))) * 1000), 0)::float8 as "oldestMs"`,
)

/** What the database user may not see. */
const UNKNOWN = coded('doctor.unknown')

const textOf = (text: string | null): CodedText => (text === null ? UNKNOWN : asWritten(text))

/** One of them is usually the cause; ending it may reveal others. */
const MAX_LISTED = 5
/** A session whose age is unknown is shown if it still has its locks after this time, in which Doorcode's own transactions end. */
const LOOK_AGAIN_MS = 2 * SECOND_MS

/** `id`: of the transaction. `tables`: what it has locked. */
type Locker = OpenTransaction & { id: string; tables: string }

/** Transactions that keep others from writing into Doorcode's tables, or into some of their rows. */
export async function findLockedTables(sql: Sql, { minMs = MAX_OPEN_MS, lookAgainMs = LOOK_AGAIN_MS } = {}) {
  const found = await sql.rows(listLockers, [minMs])
  if (found.every(({ openMs }) => openMs !== null)) return found.map(lockFinding)
  await wait(lookAgainMs)
  const before = new Set(found.map(({ id }) => id))
  return (await sql.rows(listLockers, [minMs]))
    .filter(({ openMs, id }) => openMs !== null || before.has(id))
    .map(lockFinding)
}

function lockFinding(locker: Locker): NewFinding {
  const { gid, tables, database, openMs } = locker
  const locked = { tables, duration: openMs === null ? UNKNOWN : durationText(openMs) }
  return gid === null
    ? { code: 'tables_locked', ...locked, ...sessionOf(locker) }
    : { code: 'tables_locked_by_prepared', ...locked, gid, database, ...endsOf(gid) }
}

/**
 * Locks of reads and of vacuum do not keep others from writing. What waits for a standby is committed, and must not be ended. A session
 * that changes or locks a row also locks its table.
 */
const listLockers: Statement<Locker> = statement(
  'list_transactions_that_lock_tables',
  `with locked as materialized (
     select l.pid, l.virtualtransaction, string_agg(distinct c.relname, ', ' order by c.relname) as tables
     from pg_locks l join pg_class c on c.oid = l.relation
     where l.database = (select oid from pg_database where datname = current_database()) and l.granted
       and l.pid is distinct from pg_backend_pid()
       and l.mode in ('RowShareLock', 'RowExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
       and c.relkind in ('r', 'p') and c.relnamespace in (to_regnamespace(current_schema()), to_regnamespace('auth'))
     group by l.pid, l.virtualtransaction)
   select ${OPEN_TRANSACTION}, concat_ws(' ', l.pid, l.virtualtransaction) as id, l.tables
   from locked l
   left join pg_stat_activity a on a.pid = l.pid
   ${JOIN_PREPARED}
   where a.leader_pid is null and a.wait_event is distinct from 'SyncRep' and coalesce(a.xact_start, p.prepared, '-infinity') <= clock_timestamp() - $1 * interval '1 ms'
   order by coalesce(a.xact_start, p.prepared) nulls last limit ${MAX_LISTED}`,
)
