import { setTimeout as wait } from 'node:timers/promises'
import { type Sql, type Statement, isConflict, statement } from '../../../lib/db/pool.ts'
import { newPseudonym } from '../../../lib/phone/erased-recipient.ts'
import { type EventParts, transactionWithEvents } from '../../../events/record.ts'
import type { Parts } from '../../../runtime/parts.ts'
import type { Seal } from '../../../lib/seal.ts'
import { UserError } from '../../../lib/errors.ts'
import { FIRST_ENTRY, eraseFromAuditLog } from './audit-entries.ts'
import { BeingSentError, type ErasedRows, NO_ROWS, eraseRows } from './erase-rows.ts'
import { type StoredCounts, type Person, countStored, findPerson, withLearnedUserIds, withUserIds } from './person.ts'
import { SCAN_START, type ReportScan, eraseNextReports } from './reports.ts'
import { endUnfinished, findUnfinished, isRecorded, keepUnfinished } from './unfinished.ts'

export type ErasureParts = EventParts & Pick<Parts, 'clock' | 'seal' | 'live'>

export type ErasureRequest = {
  workspaceId: string
  /** E.164 */
  phone: string
  /** A blocked number stays blocked, which keeps the number itself. */
  keepBlock: boolean
}

export type ErasedCounts = ErasedRows & {
  auditEntries: number
  /** Removed. */
  blocks: number
  /** Reasons removed from blocks that are kept. */
  blockReasons: number
}

/** The progress of an erasure. Rows come first, so that running conversations end immediately. */
export type Erasure = {
  pseudonym: string
  /** Later rows are new data. */
  startedAt: Date
  stage: 'rows' | 'reports' | 'audit_log' | 'done'
  /** It continues an erasure that was interrupted, with its pseudonym. */
  finishesEarlier: boolean
  /** Rows that are erased no longer say which user ids the person has. */
  userIds: readonly string[]
  scan: ReportScan
  /** The last entry of the audit log that was read. */
  entry: string
  /** Consecutive waits for messages and webhooks that are being sent. */
  waits: number
  steps: number
}

/** Writes the audit entry, with `held` as its new values, in the first transaction that erases something. */
export type RecordErasure = (tx: Sql, erasure: Pick<Erasure, 'pseudonym'>, held: StoredCounts) => Promise<void>

export const NOTHING_ERASED: ErasedCounts = { ...NO_ROWS, auditEntries: 0, blocks: 0, blockReasons: 0 }

export const beginErasure = ({ clock }: Pick<Parts, 'clock'>): Erasure => ({
  pseudonym: newPseudonym(),
  startedAt: clock.now(),
  stage: 'rows',
  finishesEarlier: false,
  userIds: [],
  scan: SCAN_START,
  entry: FIRST_ENTRY,
  waits: 0,
  steps: 0,
})

const WAIT_MS = 250
/** A minute: longer than any lease of a message or a webhook. */
const MAX_WAITS = 240
/** Enough for hundreds of GB of reports. An erasure that needs more would never end. */
export const MAX_STEPS = 100_000

/**
 * Erases everything that the workspace holds about a recipient (docs/personal-data.md#erase), until it is done or `maxMs` have
 * passed. Each step is a transaction. The next erasure finishes an interrupted one.
 */
export async function eraseRecipient(
  parts: ErasureParts,
  request: ErasureRequest,
  { erasure: begun, record, maxMs }: { erasure: Erasure; record: RecordErasure; maxMs: number },
): Promise<Step> {
  let erasure = begun
  const erased = { ...NOTHING_ERASED }
  const startedAtMs = performance.now()
  while (erasure.stage !== 'done' && performance.now() - startedAtMs < maxMs) {
    const step = await eraseNext(parts, request, { erasure, record })
    erasure = step.erasure
    addCounts(erased, step.erased)
  }
  return { erasure, erased }
}

function addCounts(total: ErasedCounts, erased: ErasedCounts): void {
  for (const name of Object.keys(total) as (keyof ErasedCounts)[]) total[name] += erased[name]
}

type Step = { erasure: Erasure; erased: ErasedCounts }

/** The next step. Waits a moment if only messages or webhooks that are being sent are left. */
export async function eraseNext(
  parts: ErasureParts,
  request: ErasureRequest,
  { erasure: earlier, record }: { erasure: Erasure; record: RecordErasure },
): Promise<Step> {
  if (earlier.steps >= MAX_STEPS) throw new UserError({ code: 'recipients.too_many_steps' }, 'SERVICE_UNAVAILABLE')
  const erasure = { ...earlier, steps: earlier.steps + 1 }
  try {
    const step = await runStep(parts, request, { erasure, record })
    return { ...step, erasure: { ...step.erasure, waits: 0 } }
  } catch (error) {
    if (!(error instanceof BeingSentError) && !isConflict(error)) throw error
    if (erasure.waits >= MAX_WAITS) throw new UserError({ code: 'recipients.being_sent' }, 'SERVICE_UNAVAILABLE')
    await wait(WAIT_MS)
    return { erasure: { ...erasure, waits: erasure.waits + 1 }, erased: NOTHING_ERASED }
  }
}

async function runStep(
  parts: ErasureParts,
  { workspaceId, phone, keepBlock }: ErasureRequest,
  { erasure, record }: { erasure: Erasure; record: RecordErasure },
): Promise<Step> {
  const { db, clock, seal, live } = parts
  const found = await findPerson(db, { workspaceId, phone })
  const step = await transactionWithEvents(parts, async (tx) => {
    const unfinished = erasure.stage === 'rows' ? await findUnfinished(tx, seal, found) : undefined
    const pseudonym = unfinished?.pseudonym ?? erasure.pseudonym
    const person = withUserIds(withUserIds(found, erasure.userIds), unfinished?.userIds)
    const finishesEarlier = erasure.finishesEarlier || pseudonym !== erasure.pseudonym
    const current = { ...erasure, pseudonym, finishesEarlier, userIds: person.userIds }
    const held = await countStored(tx, person)
    const step = await STAGES[current.stage](tx, { erasure: current, person, keepBlock, seal, now: clock.now() })
    if (Object.values(step.erased).some((count) => count > 0)) {
      if (!(await isRecorded(tx, person, pseudonym))) await record(tx, current, held)
      const learned = withUserIds(person, step.erasure.userIds)
      if (step.erasure.stage !== 'done') await keepUnfinished(tx, seal, learned, current)
    }
    return step
  })
  live.changed([workspaceId])
  return step
}

type StageContext = { erasure: Erasure; person: Person; keepBlock: boolean; seal: Seal; now: Date }

const STAGES: Readonly<Record<Erasure['stage'], (tx: Sql, context: StageContext) => Promise<Step>>> = {
  async reports(tx, { erasure, person }) {
    const { scan, startedAt, pseudonym } = erasure
    const { erased, userIds, next } = await eraseNextReports(tx, person, { scan, before: startedAt, pseudonym })
    const learned = withLearnedUserIds(person, userIds)
    if (learned.userIds.length > person.userIds.length) await eraseUserIds(tx, learned)
    const progress = { ...erasure, userIds: learned.userIds }
    const after: Erasure = next ? { ...progress, scan: next } : { ...progress, stage: 'audit_log' }
    return { erasure: after, erased: { ...NOTHING_ERASED, reports: erased } }
  },
  async rows(tx, { erasure, person, now }) {
    const step = await eraseRows(tx, now, { person, ...erasure })
    const learned = withLearnedUserIds(person, step?.userIds ?? [])
    await eraseUserIds(tx, learned)
    const progress = { ...erasure, userIds: learned.userIds }
    if (step) return { erasure: progress, erased: { ...NOTHING_ERASED, ...step.erased } }
    return { erasure: { ...progress, stage: 'reports' }, erased: NOTHING_ERASED }
  },
  async audit_log(tx, { erasure, person, keepBlock, seal }) {
    const block = await eraseBlock(tx, person, { keepBlock })
    const { pseudonym, entry } = erasure
    const { erased, next } = await eraseFromAuditLog(tx, person, { after: entry, pseudonym })
    if (next === undefined) await endUnfinished(tx, seal, person, erasure)
    const after: Erasure = next === undefined ? { ...erasure, stage: 'done' } : { ...erasure, entry: next }
    return { erasure: after, erased: { ...NOTHING_ERASED, auditEntries: erased, ...block } }
  },
  done: (_, { erasure }) => Promise.resolve({ erasure, erased: NOTHING_ERASED }),
}

/** Removes the user ids from confirmations of other numbers. Those of this number keep them until they are erased: they lead to the reports. */
async function eraseUserIds(tx: Sql, { workspaceId, userIds, phones }: Person): Promise<void> {
  if (userIds.length > 0) await tx.rows(clearUserIds, [workspaceId, userIds, phones])
}

const clearUserIds = statement(
  'erase_user_ids',
  `update confirmations set customer_user_id = null
   where workspace_id = $1 and recipient <> all ($3::text[]) and id = any (array (
     select id from confirmations where customer_user_id = any ($2::text[])))`,
)

/** Removes the number's pace of sending, and its block or, if the block is kept, only its reason. */
async function eraseBlock(
  tx: Sql,
  { workspaceId, phones }: Person,
  { keepBlock }: { keepBlock: boolean },
): Promise<{ blocks: number; blockReasons: number }> {
  await tx.rows(erasePace, [workspaceId, phones])
  const changed = await tx.rows(keepBlock ? eraseReason : removeBlock, [workspaceId, phones])
  return keepBlock ? { blocks: 0, blockReasons: changed.length } : { blocks: changed.length, blockReasons: 0 }
}

const erasePace = statement(
  'erase_pair_pace',
  `delete from pair_pace where recipient = any ($2::text[]) and sender_id = any (array (
     select id from senders where workspace_id = $1))`,
)

const removeBlock: Statement<object> = statement(
  'remove_block_of_recipient',
  'delete from blocked_recipients where workspace_id = $1 and phone = any ($2) returning 1',
)

const eraseReason: Statement<object> = statement(
  'erase_reason_of_block',
  `update blocked_recipients set reason = null
   where workspace_id = $1 and phone = any ($2) and reason is not null returning 1`,
)
