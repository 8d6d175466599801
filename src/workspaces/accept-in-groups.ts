import { type Db, type Statement, batch, isBatchFault } from '../db.ts'
import { Refusal, type RefusalCode } from '../errors.ts'
import { grouped } from '../group.ts'
import { type QuotaKind, openQuotaMonths } from './quota.ts'

/** A request that is accepted once per idempotency key and takes a unit of a monthly quota. */
export type Acceptable = { workspaceId: string; idempotencyKey: string | null }

/** One kind of such requests: how it is looked up, judged and stored. */
export type Accepting<Request extends Acceptable, Found extends { n: number }, Acceptance> = {
  kind: QuotaKind
  overQuota: RefusalCode
  /** `$1`: the requests as `asLookUp` gives them, each with its place `n`; one row for each. */
  lookUp: Statement<Found>
  asLookUp(request: Request): object
  /** The contract's order: replay, existence, state, content (§2). Undefined: only the quota is left to ask. */
  decide(request: Request, found: Found): Acceptance | Refusal | undefined
  /** What is inserted, under a new id; `month` is the quota's. */
  row(request: Request, found: Found): { id: string; workspace_id: string; month: string }
  /**
   * `$1`: `[{workspace_id, month, candidates: [{place, …row}]}]`. Locks each group's counter, inserts the candidates that
   * are within it, and counts a unit for each row that was really inserted; see `withinQuota`.
   */
  insert: Statement<Committed>
  accepted(request: Request, id: string): Acceptance
}

export type Committed = { accepted: string[] | null; admitted: string[] | null; open_workspaces: string[] | null }

const GROUP_MOST = 256
/** While one group waits for the disk, the next one is read and checked. */
const GROUP_LANES = 2
/** Each two rounds settle at least one request of each key in the group. */
const ROUNDS_MOST = 2 * GROUP_MOST + 2

/**
 * Accepts requests together that arrive in the same turn: key, unit, resource and first work of each commit in one
 * statement. Throws the request's first Refusal; a refused request leaves nothing behind. `onAccepted` runs after the
 * commit, with the workspace of each.
 */
export function acceptingInGroups<Request extends Acceptable, Found extends { n: number }, Acceptance>(
  db: Db,
  accepting: Accepting<Request, Found, Acceptance>,
  onAccepted: (workspaceIds: readonly string[]) => void,
): (request: Request) => Promise<Acceptance> {
  const accept = grouped((requests: Request[]) => acceptTogether({ db, accepting, onAccepted }, requests), {
    most: GROUP_MOST,
    lanes: GROUP_LANES,
    mayRunAlone: isBatchFault,
  })
  return async (request) => {
    const outcome = await accept(request)
    if (outcome instanceof Refusal) throw outcome
    if (outcome instanceof Unsettled) throw outcome.fault
    return outcome
  }
}

type Group<Request extends Acceptable, Found extends { n: number }, Acceptance> = {
  db: Db
  accepting: Accepting<Request, Found, Acceptance>
  onAccepted: (workspaceIds: readonly string[]) => void
}

/** What a request met that has no outcome, in a group of which others have theirs already. */
class Unsettled {
  readonly fault: unknown

  constructor(fault: unknown) {
    this.fault = fault
  }
}

type Outcome<Acceptance> = Acceptance | Refusal | Unsettled
type Open<Request> = { request: Request; place: number }

/** `beyondQuota`: places of requests for which no unit was left when they came to the counter. */
type Progress<Acceptance> = { outcomes: (Outcome<Acceptance> | undefined)[]; beyondQuota: Set<number> }

/**
 * Throws only while nobody has an outcome: then nothing was committed, and the whole group may run again. What a round
 * has committed stays with those it belongs to, whatever a later round meets.
 */
async function acceptTogether<Request extends Acceptable, Found extends { n: number }, Acceptance>(
  group: Group<Request, Found, Acceptance>,
  requests: Request[],
): Promise<Outcome<Acceptance>[]> {
  const outcomes = requests.map((): Outcome<Acceptance> | undefined => undefined)
  let open = requests.map((request, place) => ({ request, place }))
  const beyondQuota = new Set<number>()
  const stillOpen = (): Open<Request>[] => open.filter(({ place }) => !outcomes[place])
  for (let round = 0; open.length > 0 && round < ROUNDS_MOST; round += 1) {
    try {
      await goRound(group, open, { outcomes, beyondQuota })
    } catch (fault) {
      if (stillOpen().length === requests.length) throw fault
      for (const { request, place } of stillOpen()) outcomes[place] = await acceptAfter(fault, group, request)
    }
    open = stillOpen()
  }
  if (open.length > 0) throw new Error(`${open.length} requests of a group found no outcome in ${ROUNDS_MOST} rounds`)
  return outcomes as Outcome<Acceptance>[]
}

/** Alone, if the fault may be one of a neighbour. */
async function acceptAfter<Request extends Acceptable, Found extends { n: number }, Acceptance>(
  fault: unknown,
  group: Group<Request, Found, Acceptance>,
  request: Request,
): Promise<Outcome<Acceptance>> {
  if (!isBatchFault(fault)) return new Unsettled(fault)
  const [outcome] = await acceptTogether(group, [request]).catch((own: unknown) => [new Unsettled(own)])
  return outcome ?? new Unsettled(fault)
}

/**
 * Whoever took the last unit may be what another request repeats, or what makes it come too late: the quota is the last
 * reason of all (§2), so those beyond it look once more before they are refused.
 */
async function goRound<Request extends Acceptable, Found extends { n: number }, Acceptance>(
  group: Group<Request, Found, Acceptance>,
  open: readonly Open<Request>[],
  progress: Progress<Acceptance>,
): Promise<void> {
  const { db, accepting } = group
  const { outcomes, beyondQuota } = progress
  const asked = open.map(({ request }, n) => ({ n, ...accepting.asLookUp(request) }))
  const found = await db.rows(accepting.lookUp, [batch(asked)])
  const candidates: Candidate<Request>[] = []
  const keys = new Set<string>()
  for (const each of found) {
    const request = open[each.n]
    if (!request) continue
    const decided = accepting.decide(request.request, each)
    if (decided) outcomes[request.place] = decided
    else if (beyondQuota.has(request.place)) outcomes[request.place] = overQuota(accepting)
    else if (claimsKey(keys, request.request))
      candidates.push({ ...request, row: accepting.row(request.request, each) })
  }
  if (candidates.length > 0) await commit(group, candidates, progress)
}

const overQuota = ({ overQuota: code }: { overQuota: RefusalCode }): Refusal =>
  new Refusal(code, 'The workspace’s allowance of this calendar month (UTC) is used up.')

/** Of requests with one key in one group the first goes on; the others meet its outcome in the next round. */
function claimsKey(keys: Set<string>, { workspaceId, idempotencyKey }: Acceptable): boolean {
  if (idempotencyKey === null) return true
  const key = `${workspaceId} ${idempotencyKey}`
  if (keys.has(key)) return false
  keys.add(key)
  return true
}

type Candidate<Request> = {
  place: number
  request: Request
  row: { id: string; workspace_id: string; month: string }
}

/** Writes the outcomes that are certain; what another node was quicker with stays open for the next round. */
async function commit<Request extends Acceptable, Found extends { n: number }, Acceptance>(
  { db, accepting, onAccepted }: Group<Request, Found, Acceptance>,
  candidates: Candidate<Request>[],
  { outcomes, beyondQuota }: Progress<Acceptance>,
): Promise<void> {
  const committed = await db.row(accepting.insert, [batch(byWorkspace(candidates))])
  const inserted = new Set(committed?.accepted)
  const admitted = new Set(committed?.admitted)
  const openWorkspaces = new Set(committed?.open_workspaces)
  const crowded = new Set(
    candidates.filter(({ row }) => admitted.has(row.id) && !inserted.has(row.id)).map(({ row }) => row.workspace_id),
  )
  for (const { place, request, row } of candidates) {
    if (inserted.has(row.id)) {
      outcomes[place] = accepting.accepted(request, row.id)
    } else if (openWorkspaces.has(row.workspace_id) && !crowded.has(row.workspace_id)) {
      // In a crowded workspace a row that met its key elsewhere may have held the last unit: there is another round.
      beyondQuota.add(place)
    }
  }
  const closed = candidates.filter(({ row }) => !openWorkspaces.has(row.workspace_id))
  if (closed.length > 0) {
    const months = closed.map(({ row: { workspace_id, month } }) => ({ workspace_id, kind: accepting.kind, month }))
    await openQuotaMonths(db, months)
  }
  if (inserted.size > 0) onAccepted(candidates.flatMap(({ row }) => (inserted.has(row.id) ? row.workspace_id : [])))
}

/**
 * Each workspace's candidates in the order they came, numbered from 1. The workspaces in one order: groups of several
 * nodes lock the counters in it, so that they wait for each other and never in a circle.
 */
function byWorkspace<Request>(candidates: Candidate<Request>[]) {
  const groups = new Map<string, { workspace_id: string; month: string; candidates: object[] }>()
  for (const { row } of candidates) {
    const { workspace_id, month } = row
    const key = `${workspace_id} ${month}`
    const group = groups.get(key) ?? { workspace_id, month, candidates: [] }
    group.candidates.push({ ...row, place: group.candidates.length + 1 })
    groups.set(key, group)
  }
  return [...groups.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, group]) => group)
}

/**
 * The text of an insert within a quota, one statement and so one transaction. `columns` reads a candidate. `inserts` is
 * the rest of the WITH list: it reads `admitted` (the candidate's columns, workspace_id, month, unit) and must define
 * `inserted` with id, workspace_id and month (MONTH_OF_ROW) of each row that was really inserted.
 */
export const withinQuota = (kind: QuotaKind, { columns, inserts }: { columns: string; inserts: string }): string =>
  `with counters as materialized (
     select g.workspace_id, g.month, g.candidates, q.used, q.monthly_units
     from jsonb_to_recordset($1) as g (workspace_id uuid, month date, candidates jsonb)
     cross join lateral (
       select q.used, (
         select a.monthly_units from allowances a where a.workspace_id = q.workspace_id and a.kind = q.kind) as monthly_units
       from quota_usage q
       where q.workspace_id = g.workspace_id and q.kind = '${kind}' and q.month = g.month
       limit 1 for update) q
   ), admitted as materialized (
     select c.*, u.workspace_id, u.month, u.used + c.place as unit
     from counters u
     cross join lateral jsonb_to_recordset(u.candidates) as c (place int, created_at timestamptz, ${columns})
     where u.used + c.place <= u.monthly_units
   ), ${inserts},
   counts as materialized (
     select coalesce(jsonb_object_agg(workspace_id || ' ' || month, units), '{}') as units,
            array_agg(workspace_id) as workspaces, array_agg(month) as months
     from (
       select workspace_id, month, count(*) as units from inserted group by 1, 2) c
   ), counted as (
     update quota_usage q
     set used = q.used + ((select units from counts) ->> (q.workspace_id || ' ' || q.month))::int
     where q.workspace_id = any ((select workspaces from counts)::uuid[]) and q.kind = '${kind}'
       and q.month = any ((select months from counts)::date[])
       and (select units from counts) ? (q.workspace_id || ' ' || q.month)
   )
   select (select array_agg(id) from inserted) as accepted,
          (select array_agg(id) from admitted) as admitted,
          (select array_agg(workspace_id) from counters) as open_workspaces`

/** For the RETURNING of what `withinQuota` counts. */
export const MONTH_OF_ROW = `date_trunc('month', created_at at time zone 'UTC')::date as month`
