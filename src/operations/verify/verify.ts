import { setTimeout as wait } from 'node:timers/promises'
import { inEnglish } from '../../../locales/resources.ts'
import { SECOND_MS, later } from '../../lib/clock.ts'
import type { Sql } from '../../lib/db/pool.ts'
import { FIRST_ID, firstIdAt } from '../../lib/ids.ts'
import { idMargin } from '../../lib/lists/id-range.ts'
import type { Provider } from '../../providers/provider.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type Workspace, getWorkspace, listWorkspaces } from '../../workspaces/workspaces.ts'
import { findKeptSince, sinceBeginning } from '../lifecycle/retention/kept-since.ts'
import { checkConversations } from './conversations.ts'
import { checkDay, checkUnits, countUnit, findMissingDays, isCounted, noUnits, readDays } from './counts.ts'
import type { CheckedUnit, Difference, Page } from './differences.ts'
import { checkEvents } from './events.ts'
import { checkMessages } from './messages.ts'

/** How many rows one snapshot reads, each with everything that belongs to it. */
const MAX_BATCH = 500
/** The pause between batches, about as long as a batch, leaves the database time for other work. */
const PAUSE_MS = 20
/** A difference is checked again after this time, when work that was in progress has ended. */
const SECOND_LOOK_MS = 2 * SECOND_MS
/** All differences are counted; only the first ones are listed. */
const MAX_SHOWN = 100
const PROGRESS_EVERY_MS = 10 * SECOND_MS

type UnitKind = 'messages' | 'confirmations' | 'events' | 'months' | 'days'

type CheckPage = (tx: Sql, workspaceId: string, page: Page, reader: Provider) => Promise<CheckedUnit[]>

/** What is read and checked page by page, in the order of its ids. */
const PAGED = {
  messages: checkMessages,
  confirmations: checkConversations,
  events: checkEvents,
} satisfies Partial<Record<UnitKind, CheckPage>>

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
  /** How many of each kind were compared, and how many could not be, because their facts were removed. */
  checked: Record<UnitKind, number>
  notVerifiable: Record<UnitKind, number>
  differences: { total: number; byCode: Record<string, number>; shown: ShownDifference[] }
}

/**
 * Recomputes what is stored from the raw facts, and returns every difference (docs/consistency-check.md). It reads in short snapshots, so
 * it can run while nodes serve. It writes nothing.
 */
export async function verify(parts: VerifyParts, options: VerifyOptions = {}): Promise<Verification> {
  const { db } = parts
  const { workspaceId } = options
  const workspaces = workspaceId === undefined ? await listWorkspaces(db) : [await getWorkspace(db, workspaceId)]
  const none = { messages: 0, confirmations: 0, events: 0, months: 0, days: 0 }
  const verification: Verification = {
    checked: { ...none },
    notVerifiable: { ...none },
    differences: { total: 0, byCode: {}, shown: [] },
  }
  const progress = progressOf(verification, options)
  for (const workspace of workspaces) await verifyWorkspace({ parts, options, workspace, verification, progress })
  return verification
}

/** Reports the progress at intervals. */
function progressOf({ checked, differences }: Verification, { progress = () => {} }: VerifyOptions): () => void {
  let lastAt = performance.now()
  return () => {
    if (performance.now() - lastAt < PROGRESS_EVERY_MS) return
    lastAt = performance.now()
    const { messages, confirmations, events } = checked
    const { total } = differences
    progress(`So far: ${messages} messages, ${confirmations} confirmations, ${events} events; differences: ${total}.`)
  }
}

type Walk = {
  parts: VerifyParts
  options: VerifyOptions
  workspace: Workspace
  verification: Verification
  progress: () => void
}

async function verifyWorkspace(walk: Walk): Promise<void> {
  const { parts, options, workspace, verification } = walk
  const { db } = parts
  const { workspaceId, sandbox } = workspace
  // Retention removes older records, and what they would prove is not verified.
  const { records: kept } = sinceBeginning(workspaceId, await findKeptSince(db))
  const since = [options.since, kept].filter((at) => at != null).toSorted((one, other) => +other - +one)[0] ?? null
  const walked = noUnits()
  for (const kind of ['messages', 'confirmations', 'events'] as const)
    await checkPages(walk, kind, since, ({ id, used }) => used && countUnit(walked, used.kind, { id, at: used.at }))
  // Ids follow real time and months a sandbox's clock: only from its beginning are all units of a month walked.
  if (!sandbox || !since) {
    const { checked, differences } = await db.snapshot((tx) => checkUnits(tx, workspaceId, { walked, since }))
    verification.checked.months += checked
    addDifferences(walk, differences)
  }
  if (!sandbox) await checkDays(walk, since)
}

function addDifferences({ workspace, verification: { differences } }: Walk, found: readonly Difference[]): void {
  for (const { id, text } of found) {
    const { code: name, ...parameters } = text
    const code = name.replace('verify.', '')
    differences.total += 1
    differences.byCode[code] = (differences.byCode[code] ?? 0) + 1
    const shown = { workspaceId: workspace.workspaceId, id, code, parameters, text: inEnglish(text) }
    if (differences.shown.length < MAX_SHOWN) differences.shown.push(shown)
  }
}

async function checkPages(
  walk: Walk,
  kind: keyof typeof PAGED,
  since: Date | null,
  onChecked: (unit: CheckedUnit) => void,
): Promise<void> {
  const { parts, options, workspace, verification, progress } = walk
  const { workspaceId, sandbox } = workspace
  const { earlierMs } = idMargin({ sandbox, offsetMs: 0 })
  const page = { after: since ? firstIdAt(later(since, -earlierMs)) : FIRST_ID, limit: options.maxBatch ?? MAX_BATCH }
  const check = () => parts.db.snapshot((tx) => PAGED[kind](tx, workspaceId, page, parts.provider))
  for (;;) {
    const units = await check()
    const differing = new Set(units.filter(({ differences }) => differences.length > 0).map(({ id }) => id))
    if (differing.size > 0) {
      await wait(options.secondLookMs ?? SECOND_LOOK_MS)
      const again = (await check()).filter(({ id }) => differing.has(id))
      for (const { differences } of again) addDifferences(walk, differences)
    }
    units.forEach(onChecked)
    const verifiable = units.filter((unit) => unit.verifiable).length
    verification.checked[kind] += verifiable
    verification.notVerifiable[kind] += units.length - verifiable
    progress()
    const last = units.at(-1)
    if (!last || units.length < page.limit) return
    page.after = last.id
    await wait(PAUSE_MS)
  }
}

async function checkDays(walk: Walk, since: Date | null): Promise<void> {
  const { parts, workspace, verification, progress } = walk
  const { workspaceId } = workspace
  const days = await parts.db.snapshot((tx) => readDays(tx, workspaceId, since))
  addDifferences(walk, findMissingDays(workspace, days))
  for (const day of days.filter(isCounted)) {
    addDifferences(walk, await parts.db.snapshot((tx) => checkDay(tx, workspaceId, day)))
    verification.checked.days += 1
    progress()
    await wait(PAUSE_MS)
  }
}
