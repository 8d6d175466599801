import { setTimeout as wait } from 'node:timers/promises'
import { inEnglish } from '../../../locales/resources.ts'
import { SECOND_MS, later, notBefore } from '../../lib/clock.ts'
import type { Db, Sql } from '../../lib/db/pool.ts'
import { FIRST_ID, firstIdAt } from '../../lib/ids.ts'
import { idMargin } from '../../lib/lists/id-range.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type Workspace, getWorkspace, listWorkspaces } from '../../workspaces/workspaces.ts'
import { findKeptSince, findRemoved, sinceBeginning } from '../lifecycle/retention/kept-since.ts'
import { checkConversations } from './conversations.ts'
import { checkDay, checkMonths, countUnits, noUnits, readDays } from './counts.ts'
import type { UnitResult } from './differences.ts'
import { checkEvents } from './events.ts'
import { checkMessages } from './messages.ts'

/** How many rows one snapshot reads, each with everything that belongs to it. */
const MAX_BATCH = 500
/** The pause after a full batch, about as long as the batch, leaves the database time for other work. */
const PAUSE_MS = 20
/** A difference is checked again after this time, when work that was in progress has ended. */
const SECOND_LOOK_MS = 2 * SECOND_MS
/** All differences are counted; only the first ones are listed. */
const MAX_SHOWN = 100
const PROGRESS_EVERY_MS = 10 * SECOND_MS

type VerifyParts = Pick<Parts, 'db' | 'provider'>

export type VerifyOptions = {
  workspaceId?: string | undefined
  /** Verifies only what was accepted since then, in real time. */
  since?: Date | undefined
  progress?: (line: string) => void
  /** Set by tests. */
  secondLookMs?: number
  maxBatch?: number
}

export type ShownDifference = { workspaceId: string; id: string; code: string; parameters: object; text: string }

export type Verification = {
  /** How many of each kind were compared, and how many could not be, because their facts were removed. */
  checked: Record<UnitResult['kind'], number>
  notVerifiable: Record<UnitResult['kind'], number>
  differences: { total: number; byCode: Record<string, number>; shown: ShownDifference[] }
}

/**
 * Recomputes what is stored from the raw facts, and returns every difference (docs/consistency-check.md). It reads in short snapshots, so
 * it can run while nodes serve. It writes nothing.
 */
export async function verify(parts: VerifyParts, options: VerifyOptions = {}): Promise<Verification> {
  const { workspaceId: only, progress = () => {} } = options
  const workspaces = only === undefined ? await listWorkspaces(parts.db) : [await getWorkspace(parts.db, only)]
  const none = { messages: 0, confirmations: 0, events: 0, months: 0, days: 0 }
  const differences = { total: 0, byCode: {}, shown: [] }
  const verification: Verification = { checked: { ...none }, notVerifiable: { ...none }, differences }
  let reportedAt = performance.now()
  for (const workspace of workspaces)
    for await (const units of batchesOf(parts, workspace, options)) {
      for (const unit of units) addUnit(verification, workspace, unit)
      if (performance.now() - reportedAt >= PROGRESS_EVERY_MS) {
        progress(lineOf(verification))
        reportedAt = performance.now()
      }
      // A thousand workspaces may have only a few rows each.
      if (units.length > 0) await wait((PAUSE_MS * units.length) / MAX_BATCH)
    }
  return verification
}

/** What is read page by page, in the order of its ids. */
const PAGED = [checkMessages, checkConversations, checkEvents]

async function* batchesOf({ db, provider }: VerifyParts, workspace: Workspace, options: VerifyOptions) {
  const { workspaceId, sandbox } = workspace
  const { maxBatch: limit = MAX_BATCH, secondLookMs = SECOND_LOOK_MS } = options
  // Retention removes older records, and what they would prove is not verified. It may go on meanwhile.
  const findSince = async (sql: Sql): Promise<Date | null> => {
    const { records } = sinceBeginning(workspaceId, await findKeptSince(sql))
    return records && options.since ? notBefore(records, options.since) : (records ?? options.since ?? null)
  }
  const since = await findSince(db)
  const first = since ? firstIdAt(later(since, -idMargin({ sandbox, offsetMs: 0 }).earlierMs)) : FIRST_ID
  const walked = noUnits()
  for (const check of PAGED) {
    let units: UnitResult[] = []
    do {
      const page = { workspaceId, provider, limit, after: units.at(-1)?.id ?? first }
      units = await checkTwice(db, async (tx) => withoutRemoved(tx, await check(tx, page)), secondLookMs)
      countUnits(walked, units)
      yield units
    } while (units.length === limit)
  }
  // Ids follow real time and months a sandbox's clock: only from its beginning are all units of a month walked.
  if (!sandbox || !since)
    yield await db.snapshot(async (tx) => checkMonths(tx, { workspaceId, since: await findSince(tx) }, walked))
  if (sandbox) return
  const days = await db.snapshot(async (tx) => readDays(tx, { workspaceId, since: await findSince(tx) }))
  for (const [index, day] of days.entries())
    yield await db.snapshot((tx) => checkDay(tx, workspace, day, days[index + 1]))
}

/** A confirmation outlives its first reports while a later message of it is kept. What is older than the kept records counts only as a unit. */
async function withoutRemoved(tx: Sql, units: readonly UnitResult[]): Promise<UnitResult[]> {
  const isRemoved = await findRemoved(tx, 'records')
  return units.map((unit) => (isRemoved(unit.id) ? { ...unit, differences: [], verifiable: false } : unit))
}

/** What differs is checked again, when work that was in progress has ended. */
async function checkTwice(db: Db, check: (tx: Sql) => Promise<UnitResult[]>, secondLookMs: number) {
  const units = await db.snapshot(check)
  if (units.every(({ differences }) => differences.length === 0)) return units
  await wait(secondLookMs)
  const again = new Map((await db.snapshot(check)).map(({ id, differences }) => [id, differences]))
  return units.map((unit) =>
    unit.differences.length === 0 ? unit : { ...unit, differences: again.get(unit.id) ?? [] },
  )
}

function addUnit(verification: Verification, { workspaceId }: Workspace, unit: UnitResult): void {
  const { checked, notVerifiable, differences } = verification
  const counts = unit.verifiable ? checked : notVerifiable
  counts[unit.kind] += 1
  for (const { id, ...text } of unit.differences) {
    const { code: name, ...parameters } = text
    const code = name.replace('verify.', '')
    differences.total += 1
    differences.byCode[code] = (differences.byCode[code] ?? 0) + 1
    if (differences.shown.length < MAX_SHOWN)
      differences.shown.push({ workspaceId, id, code, parameters, text: inEnglish(text) })
  }
}

const lineOf = ({ checked: { messages, confirmations, events }, differences: { total } }: Verification): string =>
  `So far: ${messages} messages, ${confirmations} confirmations, ${events} events; differences: ${total}.`
