import { type Clock, later } from '../lib/clock.ts'
import { OwnersBlocked, createFairBatcher } from '../lib/db/fair-batcher.ts'
import type { FairShare } from '../lib/db/fair-share.ts'
import {
  MAX_LOCK_WAIT_MS,
  type Db,
  type Sql,
  type Statement,
  batch,
  isLockTimeout,
  lockedRowOf,
  newestFirst,
  sqlState,
  statement,
  retryUntilOutcomeKnown,
} from '../lib/db/pool.ts'
import { ApiError, type ApiErrorCode } from '../lib/errors.ts'
import { newId } from '../lib/ids.ts'
import type { Tracer } from '../lib/tracing.ts'
import {
  type AcceptedMessages,
  type ChosenClaim,
  type NewMessage,
  chooseClaimable,
} from '../messages/queue/claim-accepted.ts'
import { storeTraces } from '../runtime/jobs/traces.ts'
import { type QuotaKind, findWorkspaceOfCounter, openQuotaMonths, quotaMonth, usedUpText } from '../workspaces/quota.ts'

/** A request that is accepted once per idempotency key and takes a unit of a monthly quota. */
export type Acceptable = {
  workspaceId: string
  idempotencyKey: string | null
  /** Other keys under which the same request may have been accepted. */
  earlierKeys?: readonly string[]
  recipient?: string
  /** The `traceparent` of the request, if tracing is on. */
  trace?: string | undefined
}

/** The columns of every look-up: one row per target. */
export type Facts = {
  /** The index of the target in the batch. */
  n: number
  clockOffsetMs: number
  /** In the workspace's current month; null before its first request. */
  unitsUsed: number | null
  monthlyUnits: number
  /** `instance.key_check`, if the rows are sealed: they are inserted only if it has not changed since. */
  keyCheck?: Buffer
}

export const FACT_COLUMNS =
  'r.n, w.clock_offset_ms as "clockOffsetMs", q.used as "unitsUsed", coalesce(l.monthly_units, 0) as "monthlyUnits"'

/** Joins each request `r` to its workspace and quota by key: without statistics, other plans would join whole tables. */
export const factJoins = (quota: QuotaKind): string =>
  `join workspaces w on w.id = r.workspace_id
   left join lateral (
     select monthly_units from quotas where workspace_id = r.workspace_id and kind = '${quota}' limit 1) l on true
   left join lateral (
     select used from quota_usage where workspace_id = r.workspace_id and kind = '${quota}'
       and ${newestFirst('month', "date_trunc('month', ($2::timestamptz + w.clock_offset_ms * interval '1 ms') at time zone 'UTC')::date")}
     order by month desc limit 1) q on true`

/** How one kind of request is looked up, decided and stored. */
export type Acceptance<Request extends Acceptable, Found extends Facts, Accepted, New extends Row = Row> = {
  quota: QuotaKind
  overQuota: ApiErrorCode
  /** How long the first message may wait for submission. */
  windowMs: number
  /** What the look-up needs apart from key and recipient. Requests with equal targets share a row of it. */
  target(request: Request): object
  /** `$1`: `[{n, …target, keys, recipients}]`, `$2`: now. */
  lookUp: Statement<Found>
  /** Pure, in the order of docs/api.md#order-of-checks. */
  decide(request: Request, facts: Found): Decision<Accepted, New>
  /** `$1`: `[{workspace_id, month, created_at, requests: [row]}]`, `$2`: due_at, `$3`: submit_by, `$4`: the wait for a locked row,
   * `$5`: key_check, if the look-up returns it. Returns what it inserted. */
  insert: Statement<Inserted>
  /** Like `insert`, and also claims first messages (messages/queue/claim-accepted.ts). `$6` to `$9`: the claim. */
  insertAndClaim?: Statement<Inserted>
  /** The first message, as this process would send it. Undefined if the account's token does not open. */
  newMessage?(request: Request, facts: Found, of: { row: New; now: Date }): NewMessage | undefined
  accepted(request: Request, id: string): Accepted
}

/** The response, or what makes the row to insert if the quota has a unit left. `Given`: what it needs for that. */
export type Decision<Accepted, New extends Row = Row, Given extends unknown[] = [id: string]> =
  | Accepted
  | ApiError
  | ((...given: Given) => New)

/** `message_id`: the id of the first message, if it is a separate row. */
type Row = { id: string; message_id?: string }

type Inserted = { id: string; isClaimed?: boolean }

const MAX_GROUP = 256
/** While the database works on one group, the next one is looked up and decided: a fifth to a half more per second. */
const GROUP_CONCURRENCY = 2
/** A request that lost its key or the last unit to another request normally gets its response on the next try. */
const MAX_TRIES = 100

/**
 * How long a group waits for a locked row, such as the counter of one of its workspaces: for several groups before it, of this node and
 * of others. Then the workspace whose counter is locked gets groups of its own, which wait as long as any statement; so do all of them if
 * it is another row.
 */
const MIN_LOCK_WAIT_MS = 50
const GROUPS_WAITED_FOR = 2
/** Weight of the last group in the usual time of an insert. */
const NEWEST_WEIGHT = 0.1
/** The pace counts what is claimed at the start of the group: a group that is late already leaves its messages to the loop. */
const MAX_LOOK_UP_TO_CLAIM_MS = 250
/** After a lock was in the way of a claim, nothing is claimed for this long. */
const CLAIM_PAUSE_MS = 5_000

type AcceptParts = {
  /** The connections, or a transaction of the caller. */
  db: Db | Sql
  clock: Clock
  tracer?: Tracer | undefined
  acceptedMessages?: AcceptedMessages | undefined
  /** Undefined: no request waits for its turn. */
  fairShare?: FairShare | undefined
}
type Item<Request> = { request: Request; id: string }
/** `isSeparate`: see createFairBatcher. Also true in a transaction, which a lock timeout would end. */
type GroupParts = AcceptParts & { lockWait: LockWait; isSeparate: boolean }

/**
 * Accepts requests in groups: those that arrive while a group is in progress are looked up together, decided one by one
 * and inserted together, each with its key, its unit of quota and its first message in one commit. Throws the request's
 * first ApiError; a rejected request stores nothing. `onAccepted` runs after the commit; `waits`: some first messages wait for the loop.
 */
export function createAcceptor<Request extends Acceptable, Found extends Facts, Accepted>(
  parts: AcceptParts,
  acceptance: Acceptance<Request, Found, Accepted>,
  onAccepted: (workspaceIds: readonly string[], of: { waits: boolean }) => void,
): (request: Request) => Promise<Accepted> {
  const lockWait = createLockWait()
  const { tracer, fairShare } = parts
  const acceptInGroup = createFairBatcher(
    async (items: Item<Request>[], { isSeparate }) => {
      const startedAtMs = performance.now()
      const { outcomes, acceptedFor, waits } = await acceptTogether(
        { ...parts, lockWait, isSeparate: isSeparate || isTransaction(parts.db) },
        acceptance,
        items,
      )
      if (!isSeparate)
        fairShare?.groupEnded(
          items.map(({ request }) => request.workspaceId),
          performance.now() - startedAtMs,
        )
      if (acceptedFor.length > 0) onAccepted(acceptedFor, { waits })
      return outcomes
    },
    {
      maxItems: MAX_GROUP,
      concurrency: GROUP_CONCURRENCY,
      ownerOf: ({ request }) => request.workspaceId,
    },
  )
  const acceptNow = async (request: Request): Promise<Accepted> => {
    const item = { request, id: newId() }
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const outcome = await acceptInGroup(item)
      if (outcome instanceof Error) throw outcome
      if (outcome !== undefined) return outcome
    }
    throw new Error(`a request had no outcome after ${MAX_TRIES} tries`)
  }
  return async (request) => {
    await fairShare?.waitForTurn(request.workspaceId)
    const span = tracer?.start('group commit', { kind: 'internal', parent: request.trace })
    return acceptNow(request).finally(() => span?.end())
  }
}

const isTransaction = (db: Db | Sql): boolean => !('transaction' in db)

/**
 * An outcome is undefined if another request took the key or the last unit since the look-up, or the instance key was replaced:
 * the next look-up shows that.
 */
async function acceptTogether<Request extends Acceptable, Found extends Facts, Accepted>(
  parts: GroupParts,
  acceptance: Acceptance<Request, Found, Accepted>,
  items: readonly Item<Request>[],
): Promise<{ outcomes: (Accepted | Error | undefined)[]; acceptedFor: string[]; waits: boolean }> {
  const { db, clock, tracer } = parts
  const now = clock.now()
  const startedAtMs = performance.now()
  const factsOf = await lookUp(db, acceptance, { items, now })
  const keys = new Set<string>()
  const insertable: Insertable<Found>[] = []
  const mayClaim = acceptance.insertAndClaim && performance.now() - startedAtMs < MAX_LOOK_UP_TO_CLAIM_MS
  const loop = mayClaim ? parts.acceptedMessages?.loop : undefined
  const room = loop?.room() ?? 0
  const newMessages: NewMessage[] = []
  const decide = ({ request, id }: Item<Request>, facts: Found | undefined): Accepted | ApiError | undefined => {
    if (!facts) throw new Error('the look-up returned no row for a request')
    const decision = acceptance.decide(request, facts)
    if (!makesRow(decision)) return decision
    const quotaError = overQuota(acceptance, facts, now)
    if (quotaError !== undefined || !claimsKey(keys, request)) return quotaError
    const row = decision(id)
    const newMessage = newMessages.length < room ? acceptance.newMessage?.(request, facts, { row, now }) : undefined
    insertable.push({ workspaceId: request.workspaceId, facts, row })
    if (newMessage) newMessages.push(newMessage)
    return undefined
  }
  const decided = items.map((item, index) => orError(() => decide(item, factsOf[index])))
  if (insertable.length === 0) return { outcomes: decided, acceptedFor: [], waits: false }
  if (tracer) await keepTraces(db, items, { insertable, now })
  using claim = loop && newMessages.length > 0 ? chooseClaimable(newMessages, { loop, now }) : undefined
  const inserted = await insert(parts, acceptance, { insertable, claim, now })
  const traceOf = new Map(tracer && items.map(({ id, request }) => [id, request.trace]))
  claim?.send(
    [...inserted.values()].flatMap(({ id, isClaimed }) => (isClaimed ? id : [])),
    (id) => traceOf.get(id),
  )
  return {
    outcomes: items.map(({ request, id }, index) =>
      inserted.has(id) ? acceptance.accepted(request, id) : decided[index],
    ),
    acceptedFor: insertable.flatMap(({ workspaceId, row }) => (inserted.has(row.id) ? workspaceId : [])),
    waits: [...inserted.values()].some(({ isClaimed }) => !isClaimed),
  }
}

/** A bug in one decision must not fail the other requests of the group. */
function orError<Result>(decide: () => Result): Result | Error {
  try {
    return decide()
  } catch (error) {
    return error instanceof Error ? error : new Error('a decision threw a value that is not an Error')
  }
}

/** Before the rows, so that the work which follows a commit finds its trace. Those of a request that is not stored are removed with age. */
async function keepTraces(
  db: Sql,
  items: readonly Item<Acceptable>[],
  { insertable, now }: { insertable: readonly Insertable<Facts>[]; now: Date },
): Promise<void> {
  const traceOf = new Map(items.map(({ id, request }) => [id, request.trace]))
  const traces = insertable.flatMap(({ row: { id, message_id = id } }) => {
    const traceparent = traceOf.get(id)
    return traceparent === undefined ? [] : [...new Set([id, message_id])].map((each) => ({ id: each, traceparent }))
  })
  // A request must not fail because of its trace.
  if (traces.length > 0) await storeTraces(db, traces, now).catch(() => undefined)
}

export const makesRow = <Accepted, New extends Row, Given extends unknown[]>(
  decision: Decision<Accepted, New, Given>,
): decision is (...given: Given) => New => typeof decision === 'function'

/** Returns the facts of each item, in their order. */
async function lookUp<Request extends Acceptable, Found extends Facts>(
  db: Sql,
  acceptance: Acceptance<Request, Found, unknown>,
  { items, now }: { items: readonly Item<Request>[]; now: Date },
): Promise<(Found | undefined)[]> {
  const targets = new Map<string, { n: number; keys: string[]; recipients: string[] }>()
  const rowNumbers = items.map(({ request }) => {
    const target = acceptance.target(request)
    const key = JSON.stringify(target)
    let entry = targets.get(key)
    if (!entry) targets.set(key, (entry = { n: targets.size, ...target, keys: [], recipients: [] }))
    if (request.idempotencyKey !== null) entry.keys.push(request.idempotencyKey, ...(request.earlierKeys ?? []))
    if (request.recipient !== undefined) entry.recipients.push(request.recipient)
    return entry.n
  })
  const values = [batch([...targets.values()]), now]
  const rows = await retryUntilOutcomeKnown(() => db.rows(acceptance.lookUp, values))
  const byTarget = new Map(rows.map((row) => [row.n, row]))
  return rowNumbers.map((n) => byTarget.get(n))
}

function overQuota(
  { quota: kind, overQuota: code }: Pick<Acceptance<Acceptable, Facts, unknown>, 'quota' | 'overQuota'>,
  { unitsUsed, monthlyUnits, clockOffsetMs }: Facts,
  now: Date,
): ApiError | undefined {
  if ((unitsUsed ?? 0) < monthlyUnits) return undefined
  return new ApiError(code, usedUpText({ kind, monthlyUnits }, later(now, clockOffsetMs)))
}

/** Only the first request of a group with a key is inserted. */
function claimsKey(keys: Set<string>, { workspaceId, idempotencyKey }: Acceptable): boolean {
  if (idempotencyKey === null) return true
  const key = `${workspaceId} ${idempotencyKey}`
  if (keys.has(key)) return false
  keys.add(key)
  return true
}

type Insertable<Found> = { workspaceId: string; facts: Found; row: Row }

/**
 * Returns what was inserted, by id. If the database's response was lost, it inserts again with the same ids: the primary keys decide
 * between the tries, even while the first one is still in progress.
 */
async function insert<Found extends Facts>(
  { db, lockWait, isSeparate }: GroupParts,
  {
    quota,
    windowMs,
    insert,
    insertAndClaim,
  }: Pick<Acceptance<Acceptable, Found, unknown>, 'quota' | 'windowMs' | 'insert' | 'insertAndClaim'>,
  { insertable, claim, now }: { insertable: readonly Insertable<Found>[]; claim: ChosenClaim | undefined; now: Date },
): Promise<Map<string, Inserted>> {
  const months = byWorkspace(insertable, now)
  const unopened = months
    .filter(({ units_used }) => units_used === null)
    .map(({ workspace_id, month }) => ({ workspace_id, kind: quota, month }))
  if (unopened.length > 0) await openQuotaMonths(db, unopened)
  const keyCheck = insertable[0]?.facts.keyCheck
  const values = (waitMs: number) => [
    batch(months),
    now,
    later(now, windowMs),
    `${waitMs}ms`,
    ...(keyCheck ? [keyCheck] : []),
  ]
  const lockedCounterOf = (error: unknown): string | undefined => lockedRowOf(error, 'quota_usage')
  /** Undefined also if the counter has changed since. */
  const findBlocking = async (error: unknown): Promise<string | undefined> => {
    const counter = lockedCounterOf(error)
    return counter === undefined ? undefined : findWorkspaceOfCounter(db, counter)
  }
  const insertOnly = async ({ isRepeat = false } = {}): Promise<Inserted[]> => {
    try {
      return await lockWait.during(() => db.rows(insert, values(isSeparate ? MAX_LOCK_WAIT_MS : lockWait.shortMs())))
    } catch (error) {
      // A repeat must wait for the first try, which may be committed.
      if (isSeparate || isRepeat || !isLockTimeout(error)) throw error
      const blocking = (await findBlocking(error)) ?? (months.length === 1 ? months[0]?.workspace_id : undefined)
      throw blocking === undefined ? error : new OwnersBlocked([blocking])
    }
  }
  const insertWithClaim = async (): Promise<Inserted[]> => {
    if (!insertAndClaim || !claim) return insertOnly()
    try {
      return await lockWait.during(() => db.rows(insertAndClaim, [...values(lockWait.shortMs()), ...claim.values]))
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      const blocking = await findBlocking(error)
      if (blocking !== undefined && !isSeparate) throw new OwnersBlocked([blocking])
      // No counter was locked, but a row or table that only the claim needs. The loop claims these messages later.
      if (lockedCounterOf(error) === undefined) claim.loop.pause(CLAIM_PAUSE_MS)
      return insertOnly()
    }
  }
  try {
    const inserted = await retryUntilOutcomeKnown(async (isRepeat) => {
      const newRows = await (isRepeat ? insertOnly({ isRepeat }) : insertWithClaim()).catch(ignoreUniqueViolation)
      if (newRows && !isRepeat) return newRows
      const rows = insertable.map(({ workspaceId: workspace_id, row: { id, message_id = id } }) => ({
        workspace_id,
        id,
        message_id,
      }))
      return db.rows(findInserted, [batch(rows), claim?.lease ?? null])
    })
    return new Map(inserted.map((row) => [row.id, row]))
  } catch (error) {
    if (claim && !(error instanceof OwnersBlocked)) claim.loop.giveBack(claim.lease)
    throw error
  }
}

type LockWait = ReturnType<typeof createLockWait>

/** Follows how long an insert usually takes: with a slow disk or a distant standby, groups wait longer for each other. */
export function createLockWait(now = () => performance.now()) {
  let usualMs = 0
  const shortMs = (): number =>
    Math.min(MAX_LOCK_WAIT_MS, Math.max(MIN_LOCK_WAIT_MS, Math.ceil(GROUPS_WAITED_FOR * usualMs)))
  return {
    shortMs,
    /** A failed insert, such as one that waited in vain, is not usual. */
    async during<Result>(insert: () => Promise<Result>): Promise<Result> {
      const startedAtMs = now()
      const result = await insert()
      usualMs += NEWEST_WEIGHT * (now() - startedAtMs - usualMs)
      return result
    },
  }
}

type Month = {
  workspace_id: string
  month: string
  created_at: Date
  units_used: number | null
  requests: Row[]
}

/** `created_at` and the month are in the workspace's time, which clients see; work is due by the real clock. */
function byWorkspace(insertable: readonly Insertable<Facts>[], now: Date): Month[] {
  const months = new Map<string, Month>()
  for (const { workspaceId, facts, row } of insertable) {
    let month = months.get(workspaceId)
    if (!month) {
      const created_at = later(now, facts.clockOffsetMs)
      month = {
        workspace_id: workspaceId,
        month: quotaMonth(created_at),
        created_at,
        units_used: facts.unitsUsed,
        requests: [],
      }
      months.set(workspaceId, month)
    }
    month.requests.push(row)
  }
  return [...months.values()]
}

const UNIQUE_VIOLATION = '23505'

/** The id exists: the earlier try was committed. */
function ignoreUniqueViolation(error: unknown): undefined {
  if (sqlState(error) !== UNIQUE_VIOLATION) throw error
}

const findInserted = statement<Inserted>(
  'find_inserted_requests',
  `select r.id, coalesce(m.lease = $2::uuid, false) as "isClaimed" from jsonb_to_recordset($1) as r (id uuid, workspace_id uuid, message_id uuid)
   join messages m on m.workspace_id = r.workspace_id and m.id = r.message_id`,
)
