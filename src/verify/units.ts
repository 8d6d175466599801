import { MINUTE_MS } from '../clock.ts'
import { type Sql, type Statement, statement } from '../db/pool.ts'
import { FIRST_ID, firstIdAt } from '../ids.ts'
import { type QuotaKind, quotaMonth } from '../workspaces/quota.ts'
import { type Difference, shown } from './differences.ts'

/** No request is stored that much later than its id was made. */
const MAX_ACCEPTING_MS = 5 * MINUTE_MS

const keyOf = (kind: string, month: string): string => `${kind} ${month}`

/**
 * Counts the accepted requests of one kind while they are walked in the order of their ids, up to those that are so new that
 * an earlier one may still be stored.
 */
export class UnitCounter {
  readonly counts: Map<string, number> = new Map()
  readonly #kind: QuotaKind
  #isOver = false
  /** The first id that is not counted. */
  until: string = FIRST_ID

  constructor(kind: QuotaKind) {
    this.#kind = kind
  }

  /** Before each batch is read. Ids are made by the system's clock. */
  begin(): void {
    if (!this.#isOver) this.until = firstIdAt(new Date(Date.now() - MAX_ACCEPTING_MS))
  }

  /** The month is that of the workspace's time, which a sandbox may have moved. */
  add(id: string, createdAt: Date): void {
    this.#isOver ||= id >= this.until
    if (this.#isOver) return
    const key = keyOf(this.#kind, quotaMonth(createdAt))
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }
}

type Usage = { kind: QuotaKind; month: string; used: number; recent: number }

/**
 * Counts codes from the id $2 and confirmations from $3, in one snapshot with the counters: the walk has counted the earlier
 * ones. Refusal checks have no ids in the order of time.
 */
const readUsage: Statement<Usage> = statement(
  'read_quota_usage_to_verify',
  `select q.kind, q.month::text as month, q.used, case q.kind
       when 'otp' then (
         select count(*) from messages m
         where m.workspace_id = q.workspace_id and m.id >= $2 and m.kind = 'otp'
           and m.created_at >= q.month::timestamp at time zone 'UTC'
           and m.created_at < (q.month + interval '1 month') at time zone 'UTC')
       when 'cod_confirmation' then (
         select count(*) from confirmations c
         where c.workspace_id = q.workspace_id and c.id >= $3
           and c.created_at >= q.month::timestamp at time zone 'UTC'
           and c.created_at < (q.month + interval '1 month') at time zone 'UTC')
       else (
         select count(*) from refusal_checks f
         where f.workspace_id = q.workspace_id and f.created_at > '-infinity'
           and f.created_at >= q.month::timestamp at time zone 'UTC'
           and f.created_at < (q.month + interval '1 month') at time zone 'UTC') end as recent
   from quota_usage q where q.workspace_id = $1 and ($4::date is null or q.month >= $4) order by q.month, q.kind`,
)

type Counted = {
  codes: UnitCounter
  confirmations: UnitCounter
  /** The first of which all records were walked; null: all. */
  firstMonth: string | null
}

export async function checkUnits(
  tx: Sql,
  workspaceId: string,
  { codes, confirmations, firstMonth }: Counted,
): Promise<{ checked: number; differences: Difference[] }> {
  const usages = await tx.rows(readUsage, [workspaceId, codes.until, confirmations.until, firstMonth])
  const counts = new Map([...codes.counts, ...confirmations.counts])
  const differences = usages.flatMap(({ kind, month, used, recent }): Difference[] => {
    const derived = (counts.get(keyOf(kind, month)) ?? 0) + recent
    if (derived === used) return []
    return [
      { id: workspaceId, text: { code: 'verify.units', kind, month, stored: shown(used), derived: shown(derived) } },
    ]
  })
  const known = new Set(usages.map(({ kind, month }) => keyOf(kind, month)))
  for (const [key, derived] of counts) {
    const [kind = '', month = ''] = key.split(' ')
    if (known.has(key) || (firstMonth !== null && month < firstMonth)) continue
    differences.push({
      id: workspaceId,
      text: { code: 'verify.units', kind, month, stored: shown(null), derived: shown(derived) },
    })
  }
  return { checked: usages.length, differences }
}
