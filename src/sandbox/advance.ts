import { setTimeout as wait } from 'node:timers/promises'
import { DAY_MS, SECOND_MS, later } from '../clock.ts'
import { type Sql, type Statement, statement } from '../db.ts'
import { work } from '../jobs/handlers.ts'
import { type RunningLoop, startLoop } from '../jobs/loop.ts'
import { isAnybodyWorking } from '../jobs/wake.ts'
import type { Parts, WorkName } from '../parts.ts'
import { type Sentence, joined, sentences } from '../sentences.ts'
import { SetupRefused } from '../setup-refused.ts'
import { type Due, findDueOf, isBusy } from './due.ts'
import { getSandboxOffset, moveClock } from './move-clock.ts'

/** One conversation's longest wait is a few days; each step of the way is really done. */
export const ADVANCE_MOST_MS = 90 * DAY_MS
/** Far beyond what can be tried, and far before dates stop having four digits. */
const AHEAD_MOST_MS = 3_650 * DAY_MS
/** Each thing that falls due may be a step. */
const STEPS_MOST = 10_000
/** Longer than an attempt and its lease: whatever makes no progress for so long does not settle. */
const PATIENCE_MS = 60 * SECOND_MS
const LOOK_EVERY_MS = 15

export type Advanced = {
  workspaceId: string
  /** What the workspace's clock shows now. */
  now: string
  /** ms; less than was asked for when the wait was over first. */
  advancedBy: number
  fired: Fired
}

export type Advance = {
  workspaceId: string
  byMs: number
  /** Ends the wait: what is under way goes on, and the clock stays where it is. */
  signal?: AbortSignal
  /** Joins the first step that moves the clock: what was asked for is known before it is done. */
  alongside?: (tx: Sql) => Promise<void>
}

export type Fired = {
  reminders: number
  deadlines: number
  followUpExpiries: number
  /** Messages that the provider took. */
  messages: number
  events: number
  webhookAttempts: number
}

/**
 * Moves the clock of a sandbox workspace forward. Whatever falls due on the way happens, in its order and each with all
 * that follows from it, before the clock goes on; nothing of another workspace moves. A running server does the work;
 * without one this process does. What customers and the provider do takes real time and is not waited for.
 */
export async function advanceSandbox(
  parts: Parts,
  { workspaceId, byMs, signal, alongside }: Advance,
): Promise<Advanced> {
  const { db, clock } = parts
  if ((await getSandboxOffset(db, workspaceId)) + byMs > AHEAD_MOST_MS) {
    throw new SetupRefused(says.tooFar)
  }
  const startedAt = clock.now()
  const timers = { reminder: 0, deadline: 0, expiry: 0 }
  await using worker = await startWorker(parts)
  let leftMs = byMs
  for (let step = 0; step < STEPS_MOST; step += 1) {
    await settle(parts, worker, { workspaceId, movedMs: byMs - leftMs, signal })
    if (leftMs === 0 || signal?.aborted) {
      return { workspaceId, now: await nowOf(parts, workspaceId), advancedBy: byMs - leftMs, fired: await fired() }
    }
    const isFirst = leftMs === byMs
    const moved = await moveClock(parts, { workspaceId, mostMs: leftMs, alongside: isFirst ? alongside : undefined })
    if (moved.step === 'busy') continue
    leftMs -= moved.byMs
    for (const { kind, busy } of moved.due) if (kind in timers) timers[kind as keyof typeof timers] += busy
  }
  throw stuck(byMs - leftMs, says.tooMuch({ most: STEPS_MOST }))

  async function fired(): Promise<Fired> {
    const counts = await db.row(countSince, [workspaceId, startedAt])
    const { reminder: reminders, deadline: deadlines, expiry: followUpExpiries } = timers
    return { reminders, deadlines, followUpExpiries, ...(counts ?? { messages: 0, events: 0, webhookAttempts: 0 }) }
  }
}

type Worker = AsyncDisposable & { wake(): void }

const WOKEN = ['submit', 'reports', 'deliver'] as const satisfies readonly WorkName[]

/** The workers that listen already, or else loops of this process, which stop with what they have under way. */
async function startWorker(parts: Parts): Promise<Worker> {
  if (await isAnybodyWorking(parts.db)) {
    return { wake: () => WOKEN.forEach(parts.wake), [Symbol.asyncDispose]: async () => {} }
  }
  const loops = new Map<RunningLoop, WorkName | undefined>()
  const wake = (name: WorkName): void => loops.forEach((woken, loop) => woken === name && loop.wake())
  for (const { loop, woken } of work({ ...parts, wake })) loops.set(startLoop(loop, parts.log), woken)
  const running = [...loops.keys()]
  return {
    wake: () => running.forEach((loop) => loop.wake()),
    [Symbol.asyncDispose]: async () => void (await Promise.all(running.map((loop) => loop.stop()))),
  }
}

type Way = { workspaceId: string; movedMs: number; signal: AbortSignal | undefined }

/** Waits until nothing of the workspace is due or under way, for as long as there is progress. */
async function settle({ db, clock }: Parts, worker: Worker, { workspaceId, movedMs, signal }: Way): Promise<void> {
  let seen = ''
  let since = performance.now()
  for (;;) {
    const due = await findDueOf(db, workspaceId, clock.now())
    if (!isBusy(due) || signal?.aborted) return
    const state = JSON.stringify(due)
    if (state !== seen) since = performance.now()
    else if (performance.now() - since > PATIENCE_MS) throw stuck(movedMs, whatIsLeft(due))
    seen = state
    worker.wake()
    await wait(LOOK_EVERY_MS)
  }
}

const whatIsLeft = (due: readonly Due[]): Sentence => {
  const left = due.filter(({ busy }) => busy > 0).map(({ kind, busy }) => says.some({ what: things[kind], busy }))
  return says.notDone({ left: joined(left, AND), seconds: PATIENCE_MS / SECOND_MS })
}

const stuck = (movedMs: number, why: Sentence): SetupRefused =>
  new SetupRefused(says.stuck({ seconds: movedMs / SECOND_MS, why, command: '"explain"', role: '"worker"' }))

const AND: Sentence = { en: ', ', ar: '، ' }

const things = sentences({
  message: { en: 'messages to submit', ar: 'رسائل تنتظر الإرسال' },
  report: { en: 'reports of the provider', ar: 'تقارير من واتساب' },
  webhook: { en: 'webhooks', ar: 'إشعارات' },
  reminder: { en: 'reminders', ar: 'تذكيرات' },
  deadline: { en: 'deadlines', ar: 'مهل' },
  expiry: { en: 'expiries', ar: 'أسئلة تنتهي' },
})

const says = sentences({
  tooFar: {
    en: 'A sandbox’s clock can be ten years ahead at the most: make another sandbox to go on.',
    ar: 'لا تسبق ساعة مساحة تجريبية الوقت الحقيقي بأكثر من عشر سنوات: أنشئ مساحة تجريبية أخرى للمتابعة.',
  },
  tooMuch: { en: 'there were more than {most} things to do', ar: 'ما يجب إنجازه تجاوز {most}' },
  notDone: { en: '{left} did not get done in {seconds} s', ar: 'ما يلي لم يُنجز خلال {seconds} ثانية: {left}' },
  some: { en: '{what} ({busy})', ar: '{what} ({busy})' },
  stuck: {
    en: 'The clock stopped after {seconds} s of the way, because {why}. Look them up with {command}, and whether a process with the role {role} runs; then advance by the rest.',
    ar: 'توقفت الساعة بعد {seconds} ثانية من الطريق لأن {why}. ابحث عنها بالأمر {command}، وتأكد من أن عملية بالدور {role} تعمل؛ ثم قدّم الساعة بما بقي.',
  },
})

async function nowOf({ db, clock }: Parts, workspaceId: string): Promise<string> {
  return later(clock.now(), await getSandboxOffset(db, workspaceId)).toISOString()
}

const countSince: Statement<Pick<Fired, 'messages' | 'events' | 'webhookAttempts'>> = statement(
  'count_what_an_advance_fired',
  `select (select count(*)::int from messages where workspace_id = $1 and accepted_at >= $2) as messages,
          (select count(*)::int from events where workspace_id = $1 and recorded_at >= $2) as events,
          (select count(*)::int from webhook_endpoints e
           join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id
           join webhook_attempts a on a.delivery_id = d.id
           where e.workspace_id = $1 and a.started_at >= $2) as "webhookAttempts"`,
)
