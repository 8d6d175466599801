import { type Clock, later } from '../clock.ts'
import { type Sql, type Statement, batch, isBatchFault } from '../db.ts'
import { Refusal, type RefusalCode } from '../errors.ts'
import { grouped } from '../group.ts'
import { sentences } from '../sentences.ts'
import { keyOf, precedentsOf, type Precedents, type Way, type WayFound } from './precedents.ts'
import { type QuotaKind, openQuotaMonths, quotaMonth } from './quota.ts'

/** A request that is accepted once per idempotency key and takes a unit of a monthly quota. */
export type Acceptable = { workspaceId: string; idempotencyKey: string | null }

/** What a look-up tells of the request at place `n`. */
export type Looked = WayFound & { n: number }

/** One kind of such requests: how it is looked up, judged and stored. */
export type Accepting<Request extends Acceptable, Found extends Looked, Acceptance> = {
  kind: QuotaKind
  overQuota: RefusalCode
  /** How long its first message may wait for submission. */
  windowMs: number
  /** `$1`: the requests as `asLookUp` gives them, each with its place `n`; one row for each. */
  lookUp: Statement<Found>
  asLookUp(request: Request): object
  /** Undefined: it takes a look-up to know. */
  way(request: Request, found?: Found): Way | undefined
  /** The contract's order: replay, existence, state, content (§2). Undefined: only the quota is left to ask. */
  decide(request: Request, found: Found): Acceptance | Refusal | undefined
  /** What of `decide` speaks of the request's own content, besides its recipient. */
  whatDoesNotFit(request: Request, found: Found): Refusal | undefined
  /** What is inserted, under a new id, besides what `withinQuota` knows of its way. */
  row(request: Request, found: Found): { id: string }
  /** `$1`: `[{…way, version, month, created_at, due_at, submit_by, candidates: [row]}]`; see `withinQuota`. */
  insert: Statement<Committed>
  accepted(request: Request, id: string): Acceptance
}

/** `beyond`: those for which no unit was left. `closed`: workspaces whose month has no counter yet. */
export type Committed = { accepted: string[] | null; beyond: string[] | null; closed: string[] | null }

const GROUP_MOST = 256
/** The larger a group, the less its workspaces cost each request: two lanes make groups half as large. */
const GROUP_LANES = 1
/** One by precedent; then each two settle at least one request of each key in the group. */
const ROUNDS_MOST = 2 * GROUP_MOST + 3

type AcceptParts = { db: Sql; clock: Clock }

/**
 * Accepts requests together that arrive in the same turn: key, unit, resource and first work of each commit in one
 * statement. Throws the request's first Refusal; a refused request leaves nothing behind. `onAccepted` runs after the
 * commit, with the workspace of each.
 */
export function acceptingInGroups<Request extends Acceptable, Found extends Looked, Acceptance>(
  parts: AcceptParts,
  accepting: Accepting<Request, Found, Acceptance>,
  onAccepted: (workspaceIds: readonly string[]) => void,
): (request: Request) => Promise<Acceptance> {
  const group = { ...parts, accepting, onAccepted, precedents: precedentsOf<Found>() }
  const accept = grouped((requests: Request[]) => acceptTogether(group, requests), {
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

type Group<Request extends Acceptable, Found extends Looked, Acceptance> = AcceptParts & {
  accepting: Accepting<Request, Found, Acceptance>
  onAccepted: (workspaceIds: readonly string[]) => void
  precedents: Precedents<Found>
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
async function acceptTogether<Request extends Acceptable, Found extends Looked, Acceptance>(
  group: Group<Request, Found, Acceptance>,
  requests: Request[],
): Promise<Outcome<Acceptance>[]> {
  const outcomes = requests.map((): Outcome<Acceptance> | undefined => undefined)
  let open = requests.map((request, place) => ({ request, place }))
  const beyondQuota = new Set<number>()
  const stillOpen = (): Open<Request>[] => open.filter(({ place }) => !outcomes[place])
  for (let round = 0; open.length > 0 && round < ROUNDS_MOST; round += 1) {
    try {
      if (round === 0) await goByPrecedent(group, open, { outcomes, beyondQuota })
      else await goRound(group, open, { outcomes, beyondQuota })
    } catch (fault) {
      if (stillOpen().length === requests.length) throw fault
      for (const { request, place } of stillOpen()) outcomes[place] = await acceptAfter(fault, group, request)
    }
    open = stillOpen()
  }
  for (const { place } of open) outcomes[place] = new Unsettled(new Error(`found no outcome in ${ROUNDS_MOST} rounds`))
  return outcomes as Outcome<Acceptance>[]
}

/** Alone, if the fault may be one of a neighbour. */
async function acceptAfter<Request extends Acceptable, Found extends Looked, Acceptance>(
  fault: unknown,
  group: Group<Request, Found, Acceptance>,
  request: Request,
): Promise<Outcome<Acceptance>> {
  if (!isBatchFault(fault)) return new Unsettled(fault)
  const [outcome] = await acceptTogether(group, [request]).catch((own: unknown) => [new Unsettled(own)])
  return outcome ?? new Unsettled(fault)
}

/**
 * Inserts at once what went well the last time, without a look-up: the insert itself makes sure that the precedent still
 * holds, the key is free and the recipient not blocked. What it leaves out is looked up, so nothing is refused here.
 */
async function goByPrecedent<Request extends Acceptable, Found extends Looked, Acceptance>(
  group: Group<Request, Found, Acceptance>,
  open: readonly Open<Request>[],
  progress: Progress<Acceptance>,
): Promise<void> {
  const { accepting, precedents } = group
  const candidates: Candidate<Request, Found>[] = []
  const keys = new Set<string>()
  for (const { request, place } of open) {
    const way = accepting.way(request)
    const key = way && keyOf(way)
    const found = key && precedents.get(key)
    if (!found || accepting.whatDoesNotFit(request, found) || !claimsKey(keys, request)) continue
    candidates.push({ place, request, way, key, found, row: accepting.row(request, found) })
  }
  if (candidates.length > 0) await commit(group, candidates, progress)
}

/**
 * Whoever took the last unit may be what another request repeats, or what makes it come too late: the quota is the last
 * reason of all (§2), so those beyond it look once more before they are refused.
 */
async function goRound<Request extends Acceptable, Found extends Looked, Acceptance>(
  group: Group<Request, Found, Acceptance>,
  open: readonly Open<Request>[],
  progress: Progress<Acceptance>,
): Promise<void> {
  const { db, accepting, precedents } = group
  const { outcomes, beyondQuota } = progress
  const asked = open.map(({ request }, n) => ({ n, ...accepting.asLookUp(request) }))
  const looked = await db.rows(accepting.lookUp, [batch(asked)])
  const candidates: Candidate<Request, Found>[] = []
  const keys = new Set<string>()
  for (const found of looked) {
    const { request, place } = open[found.n] ?? {}
    if (!request || place === undefined) continue
    const decided = accepting.decide(request, found)
    const way = accepting.way(request, found)
    if (decided) {
      outcomes[place] = decided
      if (way && decided instanceof Refusal) forgetOutdated(precedents, keyOf(way), found)
    } else if (beyondQuota.has(place)) outcomes[place] = overQuota(accepting)
    else if (way && claimsKey(keys, request)) {
      const key = keyOf(way)
      if (accepting.way(request)) precedents.set(key, found) // else no request would ever find it
      candidates.push({ place, request, way, key, found, row: accepting.row(request, found) })
    }
  }
  if (candidates.length > 0) await commit(group, candidates, progress)
}

/** So that what is refused again and again does not try to go by it each time. */
function forgetOutdated<Found extends Looked>(precedents: Precedents<Found>, key: string, { version }: Found): void {
  const precedent = precedents.get(key)
  if (precedent && precedent.version !== version) precedents.forget(key)
}

const overQuota = ({ overQuota: code }: { overQuota: RefusalCode }): Refusal => new Refusal(code, says.usedUp)

const says = sentences({
  usedUp: {
    en: 'The workspace’s allowance of this calendar month (UTC) is used up.',
    ar: 'نفدت حصة مساحة العمل لهذا الشهر الميلادي (بتوقيت UTC).',
  },
})

/** Of requests with one key in one group the first goes on; the others meet its outcome in the next round. */
function claimsKey(keys: Set<string>, { workspaceId, idempotencyKey }: Acceptable): boolean {
  if (idempotencyKey === null) return true
  const key = `${workspaceId} ${idempotencyKey}`
  if (keys.has(key)) return false
  keys.add(key)
  return true
}

type Candidate<Request, Found> = {
  place: number
  request: Request
  way: Way
  /** The way's. */
  key: string
  found: Found
  row: { id: string }
}

/** Writes the outcomes that are certain; what changed meanwhile, or another node was quicker with, stays open. */
async function commit<Request extends Acceptable, Found extends Looked, Acceptance>(
  { db, clock, accepting, onAccepted }: Group<Request, Found, Acceptance>,
  candidates: Candidate<Request, Found>[],
  { outcomes, beyondQuota }: Progress<Acceptance>,
): Promise<void> {
  const ways = byWay(candidates, { now: clock.now(), windowMs: accepting.windowMs })
  const committed = await db.row(accepting.insert, [batch(ways)])
  const inserted = new Set(committed?.accepted)
  const beyond = new Set(committed?.beyond)
  const crowded = new Set<string>()
  for (const { place, request, way, row } of candidates) {
    if (inserted.has(row.id)) outcomes[place] = accepting.accepted(request, row.id)
    else if (!beyond.has(row.id)) crowded.add(way.workspace_id)
  }
  // In a crowded workspace a row that met its key elsewhere may have held the last unit: there is another round.
  for (const { place, way, row } of candidates)
    if (beyond.has(row.id) && !crowded.has(way.workspace_id)) beyondQuota.add(place)
  const closed = new Set(committed?.closed)
  if (closed.size > 0) {
    const months = ways.filter(({ workspace_id }) => closed.has(workspace_id))
    await openQuotaMonths(
      db,
      months.map(({ workspace_id, month }) => ({ workspace_id, kind: accepting.kind, month })),
    )
  }
  if (inserted.size > 0)
    onAccepted(candidates.flatMap(({ row, way }) => (inserted.has(row.id) ? way.workspace_id : [])))
}

type Instants = { now: Date; windowMs: number }

/**
 * The candidates, and what those of one way have in common. The workspaces in one order: groups of several nodes lock
 * the counters in it, so that they wait for each other and never in a circle. Work is due by the real clock; what callers
 * see is in the workspace's time.
 */
function byWay(candidates: readonly Candidate<unknown, WayFound>[], { now, windowMs }: Instants) {
  const ways = new Map<string, ReturnType<typeof wayRow>>()
  const wayRow = ({ way, found }: (typeof candidates)[number]) => {
    const created = later(now, found.clock_offset_ms)
    return {
      ...way,
      version: found.version,
      month: quotaMonth(created),
      created_at: created,
      due_at: now,
      submit_by: later(now, windowMs),
      candidates: [] as object[],
    }
  }
  for (const candidate of candidates) {
    let way = ways.get(candidate.key)
    if (!way) ways.set(candidate.key, (way = wayRow(candidate)))
    way.candidates.push(candidate.row)
  }
  return [...ways.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, way]) => way)
}

type Within = {
  /** Reads a candidate. */
  columns: string
  /** The version of the way `r`; see Way. */
  version: string
  /** Selects from the table what has taken the key of the candidate `c` of the way `w`. */
  earlier: string
  /**
   * The rest of the WITH list: it reads `admitted` (the columns of candidate and way, and unit) and must define `inserted`
   * with id, workspace_id and created_at of each row that was really inserted.
   */
  inserts: string
}

/**
 * The text of an insert within a quota, one statement and so one transaction: locks each workspace's counter, inserts the
 * candidates that are within it and whose way is still what it was, and counts a unit for each row really inserted.
 */
export const withinQuota = (kind: QuotaKind, { columns, version, earlier, inserts }: Within): string =>
  `with ways as materialized (
     select r.*, v.version is not null as unchanged, q.used, q.monthly_units
     from jsonb_to_recordset($1) as r (
       workspace_id uuid, sender_id uuid, name text, language text, version text, month date,
       created_at timestamptz, due_at timestamptz, submit_by timestamptz, candidates jsonb)
     left join lateral (${version}) v on v.version = r.version
     left join lateral (
       select q.used, (
         select a.monthly_units from allowances a where a.workspace_id = q.workspace_id and a.kind = q.kind) as monthly_units
       from quota_usage q
       where q.workspace_id = r.workspace_id and q.kind = '${kind}' and q.month = r.month
       limit 1 for update) q on true
   ), candidates as materialized (
     select w.workspace_id, w.sender_id, w.name, w.language, w.month, w.created_at, w.due_at, w.submit_by, w.monthly_units, c.*,
            w.used + row_number() over (partition by w.workspace_id, w.month order by c.id) as unit
     from ways w
     cross join lateral jsonb_to_recordset(w.candidates) as c (id uuid, recipient text, key text, ${columns})
     left join lateral (${earlier} limit 1) e on true
     left join lateral (
       select true as blocked from blocked_recipients b
       where b.workspace_id = w.workspace_id and b.phone = c.recipient limit 1) b on true
     where w.unchanged and w.used is not null and e.taken is null and b.blocked is null
   ), admitted as not materialized (
     select * from candidates where unit <= monthly_units
   ), ${inserts},
   counts as materialized (
     select coalesce(jsonb_object_agg(workspace_id || ' ' || month, units), '{}') as units,
            array_agg(workspace_id) as workspaces, array_agg(month) as months
     from (
       select workspace_id, date_trunc('month', created_at at time zone 'UTC')::date as month, count(*) as units
       from inserted group by 1, 2) c
   ), counted as (
     update quota_usage q
     set used = q.used + ((select units from counts) ->> (q.workspace_id || ' ' || q.month))::int
     where q.workspace_id = any ((select workspaces from counts)::uuid[]) and q.kind = '${kind}'
       and q.month = any ((select months from counts)::date[])
       and (select units from counts) ? (q.workspace_id || ' ' || q.month)
   )
   select (select array_agg(id) from inserted) as accepted,
          (select array_agg(id) from candidates where (unit <= monthly_units) is not true) as beyond,
          (select array_agg(workspace_id) from ways where used is null) as closed`
