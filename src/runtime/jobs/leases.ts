import type { Clock } from '../../lib/clock.ts'
import { type Db, type Sql, type Statement, statement } from '../../lib/db/pool.ts'
import { removal } from '../../lib/db/removal.ts'
import { newId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'

/** The items of one claim. Its id is in the claimed rows as a fencing token. */
export type Lease = { id: string; itemIds: readonly string[] }

/** Changes the items of leases: $1 the items, $2 the leases, $3 a time. */
export type LeasedChange = Statement<{ id: string }>

export const changeLeased = async (tx: Sql, change: LeasedChange, leases: readonly Lease[], at: Date) =>
  leases.length > 0 ? tx.rows(change, [leases.flatMap(({ itemIds }) => itemIds), leases.map(({ id }) => id), at]) : []

/**
 * SQL: the items of a LeasedChange. Skips those that another session has locked, so that they do not block the others:
 * they wait for the end of their lease.
 */
export const unlockedItems = (table: string): string => `any (array (
     select id from ${table} where id = any ($1::uuid[]) and lease = any ($2::uuid[]) for no key update skip locked))`

const NOT_GIVEN_BACK = 'claimed work could not be given back, and waits until its lease ends'

/** The claims of one loop. The database may have a claim although its answer was lost: it is given back. */
export function createClaims({ db, clock, log }: { db: Db; clock: Clock; log: Log }, giveBack: LeasedChange) {
  const doubtful = new Set<string>()
  const giveBackDoubtful = async (): Promise<void> => {
    if (doubtful.size === 0) return
    const leases = [...doubtful]
    await db.transaction(async (tx) => changeLeased(tx, giveBack, await tx.rows(removeLeases, [leases]), clock.now()))
    for (const lease of leases) doubtful.delete(lease)
  }
  return {
    async claim<Claimed>(run: (lease: string) => Promise<Claimed>): Promise<Claimed> {
      const lease = newId()
      try {
        return await run(lease)
      } catch (error) {
        doubtful.add(lease)
        throw error
      }
    },
    giveBackLater: (lease: string): void => void doubtful.add(lease),
    giveBackDoubtful,
    /** For a loop that has no further turn. Never fails: what is not given back waits for the end of its lease. */
    giveBackLast: (): Promise<void> => giveBackDoubtful().catch((err: unknown) => log.warn({ err }, NOT_GIVEN_BACK)),
  }
}

/**
 * Records that requests for these messages begin now. False if the lease was given back: then another process may have
 * the messages, and they must not be sent.
 */
export const beginLease = async (sql: Sql, lease: string, now: Date): Promise<boolean> =>
  (await sql.row(begin, [lease, now])) !== undefined

const begin = statement<{ id: string }>(
  'begin_lease',
  'update leases set begun_at = $2 where id = $1 and begun_at is null returning id',
)

/** SQL, of a lease under which no request was or can be made. */
export const IS_UNBEGUN = `(begun_at is null or begun_at = '-infinity')`

/**
 * Keeps leases from beginning, and returns them: the process that took them may still run, with a clock that is behind. Leases
 * that have begun are not returned.
 */
export const preventLeases = statement<{ id: string }>(
  'prevent_leases',
  `update leases set begun_at = '-infinity' where id = any ($1::uuid[]) and ${IS_UNBEGUN} returning id`,
)

export const removeLeases = statement<Lease>(
  'remove_leases',
  'delete from leases where id = any ($1::uuid[]) returning id, item_ids as "itemIds"',
)

const isNeverBegun = (after: string, before: string): string =>
  `taken_at between ${after} and ${before} and kind = 'messages' and ${IS_UNBEGUN}`

/** SQL: whether takeLeases with these times takes any lease of a node that is not dead. */
export const areLeasesLost = (after: string, before: string, ahead: string): string =>
  `(select 1 from leases where ${isNeverBegun(after, before)} limit 1) is not null
     or (select 1 from leases where taken_at > ${ahead} limit 1) is not null`

/**
 * Takes the leases of the nodes $1, those of messages claimed between $2 and $3 whose requests never began, and those claimed
 * after $4. A lease that began while this statement waited for its row stays with its node, unless the node is dead or its clock was
 * ahead.
 */
export const takeLeases = statement<Lease & { state: 'begun' | 'unbegun' | 'deliveries' }>(
  'take_leases',
  `delete from leases
   where id = any (array (
       select id from leases where node_id = any ($1::uuid[])
       union all
       select id from leases where ${isNeverBegun('$2', '$3')}
       union all
       select id from leases where taken_at > $4))
     and (node_id = any ($1::uuid[]) or ${IS_UNBEGUN} or taken_at > $4)
   returning id, item_ids as "itemIds",
     case when kind = 'deliveries' then kind when ${IS_UNBEGUN} then 'unbegun' else 'begun' end as state`,
)

/** Leases end within seconds: by then their work is done or due again. */
export const removeOldLeases = removal('remove_old_leases', 'leases', 'taken_at < $1')
