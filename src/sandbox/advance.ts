import { setTimeout as wait } from 'node:timers/promises'
import { DAY_MS, SECOND_MS, later } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { type RunningLoop, startLoop } from '../runtime/jobs/loop.ts'
import { isAnyWorkerAlive } from '../runtime/jobs/node.ts'
import type { WorkName } from '../runtime/jobs/wake.ts'
import type { Parts } from '../runtime/parts.ts'
import { type CodedText, commandText, plainText } from '../../locales/text.ts'
import { UserError } from '../lib/errors.ts'
import { type DueWork, WOKEN_BY_CLOCK, listDueWork, hasBusyWork } from './due.ts'
import { getSandboxOffset, moveClock } from './move-clock.ts'
import { mustBeFree } from './work.ts'

/** A conversation waits a few days at most, and each due item on the way is really processed. */
export const MAX_ADVANCE_MS = 90 * DAY_MS
/** Far more than tests need, and years still have four digits. */
const MAX_AHEAD_MS = 3_650 * DAY_MS
/** Each due item may take a step. */
const MAX_STEPS = 10_000
/** Without progress for this long, which is longer than an attempt and its lease, advancing gives up. */
const MAX_IDLE_MS = 60 * SECOND_MS
const CHECK_EVERY_MS = 15

type AdvanceOptions = {
  workspaceId: string
  byMs: number
  /** Ends the wait: running work continues and the clock stays where it is. */
  signal?: AbortSignal
  /** Records the request in the transaction of the first move; what falls due may take minutes, so each move has its own. */
  recordRequest?: (tx: Sql) => Promise<void>
}

/**
 * Moves the clock of a sandbox workspace forward. Everything that falls due on the way is processed in order, with all its
 * consequences, before the clock moves on. Running servers do the work, or else this process. Customers and the provider
 * act in real time and are not waited for.
 */
export async function advanceSandbox(parts: Parts, { workspaceId, byMs, signal, recordRequest }: AdvanceOptions) {
  const { db, clock } = parts
  if ((await getSandboxOffset(db, workspaceId)) + byMs > MAX_AHEAD_MS) {
    throw new UserError({ code: 'sandbox.too_far' })
  }
  const startedAt = clock.now()
  const timers = { reminder: 0, deadline: 0, expiry: 0 }
  await using worker = await startWorker(parts)
  let leftMs = byMs
  for (let step = 0; ; step += 1) {
    if (step === MAX_STEPS) throw stuckError(byMs - leftMs, { code: 'sandbox.too_much', max: MAX_STEPS })
    await settle(parts, worker, { workspaceId, movedMs: byMs - leftMs, signal })
    if (leftMs === 0 || signal?.aborted) break
    const isFirst = leftMs === byMs
    const maxMs = leftMs
    const moved = await db.transaction(async (tx) => {
      const move = await moveClock(tx, clock, { workspaceId, maxMs })
      await mustBeFree(tx, workspaceId)
      if (move && isFirst) await recordRequest?.(tx)
      return move
    })
    if (!moved) continue
    parts.live.changed([workspaceId])
    leftMs -= moved.byMs
    for (const { kind, busy } of moved.due) if (kind in timers) timers[kind as keyof typeof timers] += busy
  }
  const { reminder: reminders, deadline: deadlines, expiry: followUpExpiries } = timers
  const counts = (await db.row(countSince, [workspaceId, startedAt])) ?? { messages: 0, events: 0, webhookAttempts: 0 }
  return {
    workspaceId,
    /** The workspace's time. */
    now: later(clock.now(), await getSandboxOffset(db, workspaceId)).toISOString(),
    /** ms; less than requested if `signal` aborted it. */
    advancedBy: byMs - leftMs,
    fired: { reminders, deadlines, followUpExpiries, ...counts },
  }
}

type Worker = AsyncDisposable & { wake(): void }

/** Running workers, or else loops of this process, which finish their work when they stop. */
async function startWorker(parts: Parts): Promise<Worker> {
  if (await isAnyWorkerAlive(parts.db)) {
    return { wake: () => WOKEN_BY_CLOCK.forEach(parts.wake), [Symbol.asyncDispose]: async () => {} }
  }
  const running: RunningLoop[] = []
  const wake = (work: WorkName): void => running.find(({ name }) => name === work)?.wake()
  // What is claimed early waits for loops that stay.
  const loopParts = {
    ...parts,
    wake,
    acceptedMessages: undefined,
    recordedDeliveries: undefined,
    searchStarts: undefined,
  }
  for (const loop of parts.loops(loopParts)) running.push(startLoop(loop, parts.log))
  return {
    wake: () => running.forEach((loop) => loop.wake()),
    [Symbol.asyncDispose]: async () => void (await Promise.all(running.map((loop) => loop.stop()))),
  }
}

type Progress = { workspaceId: string; movedMs: number; signal: AbortSignal | undefined }

/** Waits until no work of the workspace is due or running. Throws when there is no progress. */
async function settle({ db, clock }: Parts, worker: Worker, { workspaceId, movedMs, signal }: Progress): Promise<void> {
  let lastState = ''
  let lastProgressAt = performance.now()
  for (;;) {
    const due = await listDueWork(db, workspaceId, clock.now())
    if (!hasBusyWork(due) || signal?.aborted) return
    const state = JSON.stringify(due)
    if (state !== lastState) lastProgressAt = performance.now()
    else if (performance.now() - lastProgressAt > MAX_IDLE_MS) throw stuckError(movedMs, remainingWork(due))
    lastState = state
    worker.wake()
    await wait(CHECK_EVERY_MS)
  }
}

function remainingWork(due: readonly DueWork[]): CodedText {
  const left = due
    .filter(({ busy }) => busy > 0)
    .map(({ kind, busy }): CodedText => ({ code: 'sandbox.some', what: plainText(`sandbox.thing_${kind}`), busy }))
  return { code: 'sandbox.not_done', left, seconds: MAX_IDLE_MS / SECOND_MS }
}

const stuckError = (movedMs: number, why: CodedText): UserError =>
  new UserError({
    code: 'sandbox.stuck',
    seconds: movedMs / SECOND_MS,
    why,
    command: commandText('explain'),
    role: '"worker"',
  })

/** `messages`: accepted by the provider. */
const countSince = statement<{ messages: number; events: number; webhookAttempts: number }>(
  'count_fired_by_advance',
  `select (select count(*)::int from messages where workspace_id = $1 and accepted_at >= $2) as messages,
          (select count(*)::int from events where workspace_id = $1 and recorded_at >= $2) as events,
          (select count(*)::int from webhook_endpoints e
           join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id
           join webhook_attempts a on a.delivery_id = d.id
           where e.workspace_id = $1 and a.started_at >= $2) as "webhookAttempts"`,
)
