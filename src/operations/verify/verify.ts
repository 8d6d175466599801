import { setTimeout as wait } from 'node:timers/promises'
import { inEnglish } from '../../../locales/resources.ts'
import { MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { dayAt } from '../../charts/days.ts'
import type { Db, Sql } from '../../lib/db/pool.ts'
import { FIRST_ID, firstIdAt } from '../../lib/ids.ts'
import type { Parts } from '../../runtime/parts.ts'
import { idMargin } from '../../lib/lists/id-range.ts'
import { quotaMonth } from '../../workspaces/quota.ts'
import { type Workspace, getWorkspace, listWorkspaces } from '../../workspaces/workspaces.ts'
import { readConversations } from './conversation-facts.ts'
import { checkConversation } from './conversations.ts'
import type { CheckResult, Difference } from './differences.ts'
import { checkDeliveries, readEvents } from './events.ts'
import { checkDay, findMissingDays, isCounted, readDays } from './figures.ts'
import { checkMessage, readMessages } from './messages.ts'
import { type Selected, recordsKeptSince } from './read.ts'
import { checkUnits, countUnit, noUnits } from './units.ts'

/** Rows that one snapshot reads, with everything that belongs to them. */
const MAX_BATCH = 500
/** The pause between batches, about as long as a batch, leaves the database time for other work. */
const PAUSE_MS = 20
/** A difference is checked again after this time, when work that was in progress has ended. */
const SECOND_LOOK_MS = 2 * SECOND_MS
/** All differences are counted; only the first ones are listed. */
const MAX_SHOWN = 100
const PROGRESS_EVERY_MS = 10 * SECOND_MS

const UNITS = ['messages', 'confirmations', 'events', 'months', 'days'] as const
type UnitKind = (typeof UNITS)[number]

type VerifyParts = Pick<Parts, 'db' | 'clock' | 'provider'>

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
  /** How many of each kind were compared, and how many could not be: their facts were removed. */
  checked: Record<UnitKind, number>
  notVerifiable: Record<UnitKind, number>
  differences: { total: number; byCode: Record<string, number>; shown: ShownDifference[] }
}

/**
 * Recomputes what is stored from the raw facts, and returns every difference (docs/verify.md). It reads in short snapshots, so
 * it can run while nodes serve. It writes nothing.
 */
export async function verify(parts: VerifyParts, options: VerifyOptions = {}): Promise<Verification> {
  const { db } = parts
  const { workspaceId } = options
  const workspaces = workspaceId === undefined ? await listWorkspaces(db) : [await getWorkspace(db, workspaceId)]
  const report = new Report(options.progress)
  for (const workspace of workspaces) await verifyWorkspace(parts, report, { workspace, options })
  return report.verification
}

/** Collects what was found. */
class Report {
  readonly verification: Verification = {
    checked: zeros(),
    notVerifiable: zeros(),
    differences: { total: 0, byCode: {}, shown: [] },
  }
  readonly #progress: (line: string) => void
  #lastProgressAt = performance.now()

  constructor(progress: (line: string) => void = () => {}) {
    this.#progress = progress
  }

  count(kind: UnitKind, checked: number, notVerifiable = 0): void {
    this.verification.checked[kind] += checked
    this.verification.notVerifiable[kind] += notVerifiable
    if (performance.now() - this.#lastProgressAt < PROGRESS_EVERY_MS) return
    this.#lastProgressAt = performance.now()
    const { checked: all, differences } = this.verification
    this.#progress(
      `So far: ${all.messages} messages, ${all.confirmations} confirmations, ${all.events} events; differences: ${differences.total}.`,
    )
  }

  add(workspaceId: string, found: readonly Difference[]): void {
    const { differences } = this.verification
    for (const { id, text } of found) {
      const { code: name, ...parameters } = text
      const code = name.replace('verify.', '')
      differences.total += 1
      differences.byCode[code] = (differences.byCode[code] ?? 0) + 1
      if (differences.shown.length < MAX_SHOWN)
        differences.shown.push({ workspaceId, id, code, parameters, text: inEnglish(text) })
    }
  }
}

const zeros = (): Record<UnitKind, number> => ({ messages: 0, confirmations: 0, events: 0, months: 0, days: 0 })

type Scope = { workspace: Workspace; options: VerifyOptions }

async function verifyWorkspace(parts: VerifyParts, report: Report, { workspace, options }: Scope): Promise<void> {
  const { db, provider } = parts
  const { workspaceId, sandbox } = workspace
  const kept = await recordsKeptSince(db, workspaceId)
  const since = [options.since, kept].filter((at) => at != null).toSorted((one, other) => +other - +one)[0] ?? null
  const { earlierMs } = idMargin({ sandbox, offsetMs: 0 })
  const after = since ? firstIdAt(later(since, -earlierMs)) : FIRST_ID
  const walk = { db, report, workspaceId, after, options }
  const walked = noUnits()
  await walkUnits(walk, {
    kind: 'messages',
    read: readMessages,
    check: (facts) => checkMessage(facts, provider),
    onRead({ id, kind, created_at: at }) {
      if (kind === 'otp') countUnit(walked, 'otp', { id, at })
    },
  })
  await walkUnits(walk, {
    kind: 'confirmations',
    read: readConversations,
    check: (facts) => checkConversation(facts, provider),
    onRead: ({ id, createdAt: at }) => countUnit(walked, 'cod_confirmation', { id, at }),
  })
  await walkUnits(walk, { kind: 'events', read: readEvents, check: checkDeliveries })
  // Ids follow real time and months a sandbox's clock: only from its beginning are all units of a month walked.
  if (!sandbox || !since) {
    const counted = { walked, firstMonth: since && monthAfter(since) }
    const { checked, differences } = await db.snapshot((tx) => checkUnits(tx, workspaceId, counted))
    report.count('months', checked)
    report.add(workspaceId, differences)
  }
  if (!sandbox) await verifyDays(walk, workspace, since)
}

/** The first month that begins then or later. */
function monthAfter(since: Date): string {
  const month = quotaMonth(since)
  if (since <= new Date(month)) return month
  return quotaMonth(new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() + 1, 1)))
}

type Walk = { db: Db; report: Report; workspaceId: string; after: string; options: VerifyOptions }

type Kind<Facts extends { id: string }> = {
  kind: UnitKind
  read: (tx: Sql, workspaceId: string, selected: Selected) => Promise<Facts[]>
  check: (facts: Facts) => CheckResult
  onRead?: (facts: Facts) => void
}

async function walkUnits<Facts extends { id: string }>(
  { db, report, workspaceId, after, options }: Walk,
  { kind, read, check, onRead }: Kind<Facts>,
): Promise<void> {
  const limit = options.maxBatch ?? MAX_BATCH
  for (let last = after; ; ) {
    const facts = await db.snapshot((tx) => read(tx, workspaceId, { after: last, limit }))
    const results = facts.map((each) => ({ id: each.id, ...check(each) }))
    for (const each of facts) onRead?.(each)
    const ids = results.filter(({ differences }) => differences.length > 0).map(({ id }) => id)
    if (ids.length > 0) {
      await wait(options.secondLookMs ?? SECOND_LOOK_MS)
      const again = await db.snapshot((tx) => read(tx, workspaceId, { ids }))
      for (const each of again) report.add(workspaceId, check(each).differences)
    }
    const notVerifiable = results.filter(({ verifiable }) => !verifiable).length
    report.count(kind, facts.length - notVerifiable, notVerifiable)
    const next = facts.at(-1)?.id
    if (next === undefined || facts.length < limit) return
    last = next
    await wait(PAUSE_MS)
  }
}

async function verifyDays({ db, report }: Walk, workspace: Workspace, since: Date | null): Promise<void> {
  const { workspaceId } = workspace
  const from = since && dayAt(later(since, DAY_MARGIN_MS), 'UTC')
  const days = await db.snapshot((tx) => readDays(tx, workspaceId, from))
  report.add(workspaceId, findMissingDays(workspace, days))
  for (const day of days.filter(isCounted)) {
    report.add(workspaceId, await db.snapshot((tx) => checkDay(tx, workspaceId, day)))
    report.count('days', 1)
    await wait(PAUSE_MS)
  }
}

/** In every time zone, the day that contains the time is incomplete. */
const DAY_MARGIN_MS = 48 * 60 * MINUTE_MS
