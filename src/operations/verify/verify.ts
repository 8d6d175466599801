import { setTimeout as wait } from 'node:timers/promises'
import { inEnglish } from '../../../locales/resources.ts'
import { MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { dayAt } from '../../charts/days.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { FIRST_ID, firstIdAt } from '../../lib/ids.ts'
import type { Parts } from '../../runtime/parts.ts'
import { idMargin } from '../../lib/lists/id-range.ts'
import { quotaMonth } from '../../workspaces/quota.ts'
import { type Workspace, getWorkspace, listWorkspaces } from '../../workspaces/workspaces.ts'
import { readConversations } from './conversation-facts.ts'
import { checkConversation } from './conversations.ts'
import type { CheckResult, Difference } from './differences.ts'
import { readEvents } from './event-facts.ts'
import { checkDeliveries } from './events.ts'
import { checkDay, findMissingDays, listCountedDays } from './figures.ts'
import { recordsKeptSince } from './kept-since.ts'
import { checkMessage, readMessages } from './messages.ts'
import type { Selected } from './selected.ts'
import { UnitCounter, checkUnits } from './units.ts'

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
  const run = new Run(options.progress)
  for (const workspace of workspaces) await verifyWorkspace(parts, run, { workspace, options })
  return run.verification
}

/** Collects what was found. */
class Run {
  readonly verification: Verification = {
    checked: zeros(),
    notVerifiable: zeros(),
    differences: { total: 0, byCode: {}, shown: [] },
  }
  readonly #progress: (line: string) => void
  #saidAtMs = performance.now()

  constructor(progress: (line: string) => void = () => {}) {
    this.#progress = progress
  }

  count(kind: UnitKind, checked: number, notVerifiable = 0): void {
    this.verification.checked[kind] += checked
    this.verification.notVerifiable[kind] += notVerifiable
    if (performance.now() - this.#saidAtMs < PROGRESS_EVERY_MS) return
    this.#saidAtMs = performance.now()
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

async function verifyWorkspace(parts: VerifyParts, run: Run, { workspace, options }: Scope): Promise<void> {
  const { db, provider } = parts
  const { workspaceId, sandbox } = workspace
  const kept = await recordsKeptSince(db, workspaceId)
  const since = [options.since, kept].filter((at) => at != null).toSorted((one, other) => +other - +one)[0] ?? null
  const { earlierMs } = idMargin({ sandbox, offsetMs: 0 })
  const after = since ? firstIdAt(later(since, -earlierMs)) : FIRST_ID
  const walk = { parts, run, workspaceId, after, options }
  const codes = new UnitCounter('otp')
  const confirmations = new UnitCounter('cod_confirmation')
  await walkUnits(walk, {
    kind: 'messages',
    read(...of) {
      codes.begin()
      return readMessages(...of)
    },
    check: (facts) => checkMessage(facts, provider),
    onRead({ id, kind, created_at }) {
      if (kind === 'otp') codes.add(id, created_at)
    },
  })
  await walkUnits(walk, {
    kind: 'confirmations',
    read(...of) {
      confirmations.begin()
      return readConversations(...of)
    },
    check: (facts) => checkConversation(facts, provider),
    onRead: ({ id, createdAt }) => confirmations.add(id, createdAt),
  })
  await walkUnits(walk, { kind: 'events', read: readEvents, check: checkDeliveries })
  // Ids follow real time and months a sandbox's clock: only from its beginning are all units of a month walked.
  if (!sandbox || !since) {
    const counted = { codes, confirmations, firstMonth: since && monthAfter(since) }
    const { checked, differences } = await db.snapshot((tx) => checkUnits(tx, workspaceId, counted))
    run.count('months', checked)
    run.add(workspaceId, differences)
  }
  if (!sandbox) await verifyDays(walk, workspace, since)
}

/** The first month that begins then or later. */
function monthAfter(since: Date): string {
  const month = quotaMonth(since)
  if (since <= new Date(month)) return month
  return quotaMonth(new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth() + 1, 1)))
}

type Walk = { parts: VerifyParts; run: Run; workspaceId: string; after: string; options: VerifyOptions }

type Kind<Facts extends { id: string }> = {
  kind: UnitKind
  read: (tx: Sql, workspaceId: string, selected: Selected) => Promise<Facts[]>
  check: (facts: Facts) => CheckResult
  onRead?: (facts: Facts) => void
}

async function walkUnits<Facts extends { id: string }>(
  { parts: { db }, run, workspaceId, after, options }: Walk,
  { kind, read, check, onRead }: Kind<Facts>,
): Promise<void> {
  const limit = options.maxBatch ?? MAX_BATCH
  for (let last = after; ; ) {
    const facts = await db.snapshot((tx) => read(tx, workspaceId, { after: last, limit }))
    const doubtful: string[] = []
    let notVerifiable = 0
    for (const each of facts) {
      onRead?.(each)
      const { differences, verifiable } = check(each)
      if (differences.length > 0) doubtful.push(each.id)
      if (!verifiable) notVerifiable += 1
    }
    if (doubtful.length > 0) {
      await wait(options.secondLookMs ?? SECOND_LOOK_MS)
      const again = await db.snapshot((tx) => read(tx, workspaceId, { ids: doubtful }))
      run.add(
        workspaceId,
        again.flatMap((each) => check(each).differences),
      )
    }
    run.count(kind, facts.length - notVerifiable, notVerifiable)
    const next = facts.at(-1)?.id
    if (next === undefined || facts.length < limit) return
    last = next
    await wait(PAUSE_MS)
  }
}

async function verifyDays({ parts: { db }, run }: Walk, workspace: Workspace, since: Date | null): Promise<void> {
  const { workspaceId } = workspace
  const from = since && dayAt(later(since, DAY_MARGIN_MS), 'UTC')
  run.add(workspaceId, await db.snapshot((tx) => findMissingDays(tx, workspace, from)))
  const days = await db.snapshot((tx) => listCountedDays(tx, workspaceId, from))
  for (const day of days) {
    run.add(workspaceId, await db.snapshot((tx) => checkDay(tx, workspaceId, day)))
    run.count('days', 1)
    await wait(PAUSE_MS)
  }
}

/** In every time zone, the day that contains the time is incomplete. */
const DAY_MARGIN_MS = 48 * 60 * MINUTE_MS
