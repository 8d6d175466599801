import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { InboundSeed } from '@doorcode/whatsapp-emulator'
import { findConfirmation } from '../../src/cod/view.ts'
import { timersLoop } from '../../src/cod/conversation/timers-loop.ts'
import type { Db } from '../../src/lib/db/pool.ts'
import { reportsLoop } from '../../src/messages/reports/process.ts'
import { submitLoop } from '../../src/messages/queue/submit.ts'
import { spyOnDb } from '../database/db-spy.ts'
import { codAccount } from '../world/cod.ts'
import { type Message, type Order, type Purpose, Model, TIMERS } from './cod-model.ts'
import { silence } from './silence.ts'
import { assertVerified } from '../world/verified.ts'
import { type World, newPhone, startWorld } from '../world/world.ts'

const RUNS = 24
const MAX_COMMANDS = 60
/** Longer than the pace of a pair, so that no message waits. */
const BETWEEN_COMMANDS_MS = 7_000
/** Waits never end closer to a timer: the real clock runs on under the moved one. */
const CLEARANCE_MS = 60_000
const BEYOND_LEASES_MS = 60_000

/** Throws once instead of the n-th statement, like the end of the process or of its connection. */
type Breaker = {
  wrap: (db: Db) => Db
  arm(statements: number): void
  /** Loses the outcome, as the end of the process does. After a lost connection, a known outcome is still stored. */
  loseOutcome(): void
  /** Returns whether it threw. */
  disarm(): boolean
}

const CONNECTION_ENDED = '57P01'
const PROCESS_ENDED = 'XX000'

function breaker(): Breaker {
  let left = 0
  let losing = false
  let broke = false
  return {
    wrap: (db) =>
      spyOnDb(db, async ({ statement, run }) => {
        const counts = losing ? statement.name === 'finish_attempts' : left > 0
        if (!counts) return run()
        left -= 1
        if (left > 0) return run()
        broke = true
        const code = losing ? PROCESS_ENDED : CONNECTION_ENDED
        losing = false
        throw Object.assign(new Error('it ended here'), { code })
      }),
    arm(statements) {
      left = statements
    },
    loseOutcome() {
      losing = true
    },
    disarm() {
      const result = broke
      left = 0
      losing = false
      broke = false
      return result
    },
  }
}

/** The real program, one turn of its loops at a time. */
class Real {
  readonly world: World
  readonly breaker: Breaker
  readonly phone = newPhone()
  readonly #loops

  constructor(world: World, breaking: Breaker) {
    this.world = world
    this.breaker = breaking
    const { parts } = world
    this.#loops = { timers: timersLoop(parts), reports: reportsLoop(parts), submit: submitLoop(parts) }
  }

  now = (): number => this.world.clock.now().getTime()

  async fireTimers(): Promise<void> {
    await this.#survive(() => this.#loops.timers.turn())
    await this.submit()
  }

  async hear(): Promise<void> {
    await this.#survive(() => this.#loops.reports.turn())
    await this.submit()
  }

  async submit(): Promise<void> {
    await this.#loops.submit.turn()
    await this.#loops.submit.drain?.()
  }

  /** Repeats a turn that threw, as the next process would. */
  async #survive(turn: () => Promise<unknown>): Promise<void> {
    await turn().catch((error: unknown) => {
      if (!this.breaker.disarm()) throw error
    })
    this.breaker.disarm()
    await turn()
  }

  async messages({ confirmationId }: Order): Promise<Sent[]> {
    return this.world.query<Sent>(
      `select provider_message_id as wamid, check_kind as check, purpose, offered from messages
       where confirmation_id = $1 order by id`,
      [confirmationId],
    )
  }
}

type Sent = { wamid: string | null; check: Message['check']; purpose: Purpose; offered: string[] | null }

type Command = fc.AsyncCommand<Model, Real>

async function agree(model: Model, real: Real): Promise<void> {
  for (const order of model.orders) {
    const view = await findConfirmation(real.world.parts.db, real.world.workspaceId, order.confirmationId)
    assert.ok(view)
    const { status, reschedule, refusalCheck, failure, answeredAt } = view
    const shown = {
      status,
      answered: answeredAt !== null,
      reschedule,
      refusal: refusalCheck && {
        status: refusalCheck.status,
        reason: refusalCheck.reason,
        note: refusalCheck.note,
        answered: refusalCheck.answeredAt !== null,
      },
      failed: failure !== null,
    }
    assert.deepEqual(shown, order.shown())
    const sent = await real.messages(order)
    for (const check of ['confirmation', 'refusal'])
      assert.deepEqual(
        sent.filter((each) => each.check === check).map(({ purpose }) => purpose),
        order.sent.filter((each) => each.check === check).map(({ purpose }) => purpose),
      )
    await agreeOnEvents(order, real, view)
  }
}

async function agreeOnEvents(order: Order, real: Real, view: object): Promise<void> {
  const events = await real.world.query<{ type: string; occurred_at: Date; body: string }>(
    'select type, occurred_at, body from events where confirmation_id = $1 order by occurred_at',
    [order.confirmationId],
  )
  const isRefusal = (type: string): boolean => type.startsWith('cod.refusal_')
  const types = events.map(({ type }) => type)
  assert.deepEqual(types.filter(isRefusal), order.events.filter(isRefusal))
  assert.deepEqual(
    types.filter((type) => !isRefusal(type)),
    order.events.filter((type) => !isRefusal(type)),
  )
  const times = events.map(({ occurred_at: at }) => at.getTime())
  assert.equal(new Set(times).size, times.length, 'occurredAt rises strictly')
  const last = events.at(-1)
  if (!last || !order.isReported()) return
  const { occurredAt: _, ...data } = (JSON.parse(last.body) as { data: Record<string, unknown> }).data
  assert.deepEqual(data, view)
}

/** Shown when the property fails. */
function command(
  name: string,
  run: (model: Model, real: Real) => Promise<void>,
  check: (model: Readonly<Model>) => boolean = () => true,
): Command {
  return {
    check,
    async run(model, real) {
      real.world.clock.advance(BETWEEN_COMMANDS_MS)
      await run(model, real)
      await agree(model, real)
    },
    toString: () => name,
  }
}

const which = fc.nat({ max: 1 })
const any = fc.nat({ max: 1_000 })
/** 0: nothing throws. */
const breakAt = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 12 }) },
)

async function gesture(
  model: Model,
  real: Real,
  { seed, breaks }: { seed: Omit<InboundSeed, 'from'>; breaks: number },
): Promise<void> {
  const copies = breaks % 3 === 2 ? 2 : 1
  await real.world.emulator.inbound({ from: real.phone, copies, ...seed })
  if (breaks > 0) real.breaker.arm(breaks)
  await real.hear()
  model.customerWrote(real.now())
}

type Seen = { order: Order; wamid: string; offered: string[] | null; known: Message }

/** The messages of these purposes on the phone, with the model's message. */
async function seenOf(model: Model, real: Real, purposes: readonly Purpose[]): Promise<Seen[]> {
  const seen: Seen[] = []
  for (const order of model.orders) {
    const counts = { confirmation: 0, refusal: 0 }
    for (const { wamid, check, purpose, offered } of await real.messages(order)) {
      const known = order.sent.filter((each) => each.check === check)[counts[check]]
      counts[check] += 1
      if (known && wamid !== null && purposes.includes(purpose)) seen.push({ order, wamid, offered, known })
    }
  }
  return seen
}

/** Mostly a recent message: long conversations have many without effect. */
const recentIndex = fc.oneof(
  { weight: 2, arbitrary: fc.nat({ max: 2 }) },
  { weight: 1, arbitrary: fc.nat({ max: 100 }) },
)

const fromTheEnd = (seen: readonly Seen[], index: number): Seen | undefined => seen.at(-1 - (index % seen.length))

const TEMPLATES: readonly Purpose[] = ['template', 'reminder']
const QUESTIONS: readonly Purpose[] = ['day_question', 'time_question', 'reasons_question']
const ALL: readonly Purpose[] = [...TEMPLATES, ...QUESTIONS, 'note_prompt', 'closing']

const taps = fc.tuple(recentIndex, fc.nat({ max: 2 }), breakAt).map(([at, wanted, breaks]) =>
  command(`tap ${at} ${wanted} ${breaks}`, async (model, real) => {
    const on = fromTheEnd(await seenOf(model, real, TEMPLATES), at)
    if (!on) return
    const button = on.known.check === 'refusal' ? wanted % 2 : wanted
    on.order.tap(on.known.check, button, real.now())
    await gesture(model, real, { seed: { tap: { button, message: on.wamid } }, breaks })
  }),
)

const chooses = fc.tuple(recentIndex, fc.nat({ max: 2 }), breakAt).map(([at, wanted, breaks]) =>
  command(`choose ${at} ${wanted} ${breaks}`, async (model, real) => {
    const on = fromTheEnd(await seenOf(model, real, QUESTIONS), at)
    if (!on?.offered) return
    const row = wanted % on.offered.length
    on.order.choose(on.known, on.offered[row] ?? '', { isLast: row === on.offered.length - 1, now: real.now() })
    const isList = on.known.purpose === 'reasons_question'
    const seed = isList ? { choose: { row, message: on.wamid } } : { tap: { button: row, message: on.wamid } }
    await gesture(model, real, { seed, breaks })
  }),
)

const types = fc.tuple(recentIndex, fc.boolean(), breakAt).map(([at, quotes, breaks]) =>
  command(`type ${at} ${quotes} ${breaks}`, async (model, real) => {
    const on = quotes ? fromTheEnd(await seenOf(model, real, ALL), at) : undefined
    model.type(`text ${at}`, on && { order: on.order, check: on.known.check }, real.now())
    await gesture(model, real, { seed: { text: `text ${at}`, ...(on && { quote: on.wamid }) }, breaks })
  }),
)

const fails = recentIndex.map((at) =>
  command(`fail ${at}`, async (model, real) => {
    const on = fromTheEnd(await seenOf(model, real, ALL), at)
    if (!on) return
    on.order.fails(on.known, real.now())
    await real.world.emulator.report(on.wamid, [{ status: 'failed', errors: [131026] }])
    await real.hear()
  }),
)

const repeats = any.map((at) =>
  command(`repeat ${at}`, async (_, real) => {
    const wrote = real.world.emulator.inboundMessages().filter(({ from }) => `+${from}` === real.phone)
    const again = wrote[at % Math.max(wrote.length, 1)]
    if (!again) return
    await real.world.emulator.inbound({ from: real.phone, again: again.id })
    await real.hear()
  }),
)

/** `firesTimers`: whether timers fire before the next command, or only later. */
const waits = fc
  .tuple(fc.constantFrom(5, 70, 130, 400, 1_000, 1_390, 1_500, 4_000), fc.boolean(), breakAt)
  .map(([minutes, firesTimers, breaks]) =>
    command(`wait ${minutes} ${firesTimers} ${breaks}`, async (model, real) => {
      let byMs = minutes * 60_000
      while (model.hasTimerWithin(real.now() + byMs, CLEARANCE_MS)) byMs += 2 * CLEARANCE_MS
      real.world.clock.advance(byMs)
      if (!firesTimers) return
      if (breaks > 0) real.breaker.arm(breaks)
      await real.fireTimers()
      model.fireTimers(real.now())
    }),
  )

/** Its first send is accepted, rejected, or accepted while the process ends. */
const refusals = fc.tuple(which, fc.constantFrom('sent', 'rejected', 'lost')).map(([index, outcome]) =>
  command(
    `refusal ${index} ${outcome}`,
    async (model, real) => {
      const order = model.orders[index]
      assert.ok(order)
      await real.world.startRefusalCheck(order)
      order.startRefusal()
      await submitInto(real, outcome)
      if (outcome === 'rejected') order.rejected('refusal', real.now())
      else order.submitted('refusal', real.now())
    },
    (model) => model.orders[index]?.mayStartRefusal() ?? false,
  ),
)

async function submitInto(real: Real, outcome: string): Promise<void> {
  if (outcome === 'rejected')
    real.world.emulator.script({ match: { to: real.phone, times: 1 }, behaviour: { error: 131026 } })
  if (outcome === 'lost') real.breaker.loseOutcome()
  await real.submit()
  if (real.breaker.disarm()) {
    real.world.clock.advance(BEYOND_LEASES_MS)
    await real.submit()
  }
}

test('under any events and crashes, clients see what the model predicts', async (t) => {
  const breaking = breaker()
  const world = await startWorld(t, {
    works: false,
    mayLogErrors: true,
    wrapDb: breaking.wrap,
    account: codAccount(),
  })
  await world.codSettings({
    ...TIMERS,
    languages: { en: { closingMessages: { confirmation: 'Thank you!', refusal: 'Sorry' } } },
  })
  const script = fc.commands(
    [taps, taps, taps, chooses, chooses, chooses, types, fails, repeats, waits, refusals, refusals],
    {
      maxCommands: MAX_COMMANDS,
      size: 'max',
    },
  )
  await fc.assert(
    fc.asyncProperty(script, fc.constantFrom('sent', 'rejected', 'lost'), async (commands, outcome) => {
      const real = new Real(world, breaking)
      const model = new Model()
      for (const each of [outcome, 'sent']) {
        const order = model.begin(await world.createConfirmation({ to: real.phone }))
        await submitInto(real, each)
        if (each === 'rejected') order.rejected('confirmation', real.now())
        else order.submitted('confirmation', real.now())
      }
      try {
        await fc.asyncModelRun(() => ({ model, real }), commands)
        await assertVerified(
          world,
          ({ code, id }) => code === 'timer' && model.orders.every(({ confirmationId }) => confirmationId !== id),
        ) // earlier runs are silent
      } finally {
        breaking.disarm()
        await silence(world)
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})
