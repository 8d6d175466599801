import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { InboundSeed } from '@doorcode/whatsapp-emulator'
import { findConfirmation } from '../../src/cod/view.ts'
import { timersLoop } from '../../src/cod/conversation/timers-loop.ts'
import type { ConfirmationView } from '../../src/cod/view.ts'
import { reportsLoop } from '../../src/messages/reports/process.ts'
import { submitLoop } from '../../src/messages/queue/submit.ts'
import { codAccount } from '../world/cod.ts'
import { silence } from './silence.ts'
import { type StallingProxy, createStallingProxy } from '../faults/stalling-proxy.ts'
import { type World, newPhone, startWorld } from '../world/world.ts'

const RUNS = 24
/** Longer than the pace of a pair, so that no message waits. */
const BEYOND_PACE_MS = 7_000
/** After this many turns, no report or message may be left. */
const MAX_LAST_TURNS = 6

/** The state of the conversation before the answers below. */
const BEGINNINGS = ['asked', 'confirmed', 'day asked', 'time asked', 'rescheduled'] as const
const REFUSAL_BEGINNINGS = ['refusal asked', 'reason asked', 'refused'] as const
type Beginning = (typeof BEGINNINGS)[number] | (typeof REFUSAL_BEGINNINGS)[number]

const isRefusal = (beginning: Beginning): boolean => (REFUSAL_BEGINNINGS as readonly string[]).includes(beginning)

/** `day` and `range` tap a button of their question, `reason` a row of the list; the last row is Other. */
type AnswerContent = { what: 'tap' | 'day' | 'range' | 'reason' | 'text'; choice: number }
/** `gap`: seconds since the previous answer. */
type Answer = AnswerContent & { gap: number }

/** How the stored webhook of an answer is processed. */
type Delivery = {
  /** Index in the story. */
  answer: number
  worker: 0 | 1
  /** `waits`: it is processed in the next turn, with everything that arrives before. */
  processing: 'processed' | 'waits' | 'stalls before the conversation' | 'stalls in the conversation'
  /** How a stall ends. */
  end: 'goes on' | 'is cut off'
}

type Story = { beginning: Beginning; answers: Answer[]; late: boolean }

const OTHER = 2

const gaps = fc.constantFrom(0, 1, 2, 30)
const choiceOf = (what: AnswerContent['what'], max: number) =>
  fc.nat({ max }).map((choice): AnswerContent => ({ what, choice }))
const many = (of: fc.Arbitrary<AnswerContent>, maxLength = 4) => fc.array(of, { maxLength })
const texts = fc.array(fc.constant<AnswerContent>({ what: 'text', choice: 0 }), { maxLength: 1 })
/** Taps that open a follow-up, and a text that may be reported before them. */
const thenText = (tap: AnswerContent) =>
  fc
    .array(fc.constant(tap), { minLength: 1, maxLength: 2 })
    .map((taps) => [...taps, { what: 'text', choice: 0 } as const])

/**
 * Only answers to open questions: others, such as a day chosen after the order was cancelled, count in one order and not in
 * another.
 */
const answerSets: { readonly [Name in Beginning]: fc.Arbitrary<{ choices: AnswerContent[]; taps: AnswerContent[] }> } =
  {
    asked: fc.record({
      choices: fc.constant<AnswerContent[]>([]),
      taps: fc.oneof(many(choiceOf('tap', 2)), thenText({ what: 'tap', choice: 2 })),
    }),
    confirmed: fc.record({ choices: fc.constant<AnswerContent[]>([]), taps: many(choiceOf('tap', 2)) }),
    'day asked': fc.record({
      choices: fc.tuple(many(choiceOf('day', 2)), texts).map((all) => all.flat()),
      taps: many(choiceOf('tap', 2), 3),
    }),
    'time asked': fc.record({
      choices: fc.oneof(
        many(fc.oneof(choiceOf('day', 2), choiceOf('range', 1))),
        fc
          .tuple(many(choiceOf('day', 2), 2), texts, many(fc.oneof(choiceOf('day', 2), choiceOf('range', 1)), 2))
          .filter(([, text]) => text.length > 0)
          .map((all) => all.flat()),
      ),
      taps: many(choiceOf('tap', 2), 3),
    }),
    rescheduled: fc.record({
      choices: many(fc.oneof(choiceOf('day', 2), choiceOf('range', 1))),
      taps: many(choiceOf('tap', 2), 3),
    }),
    'refusal asked': fc.record({
      choices: fc.constant<AnswerContent[]>([]),
      taps: fc.oneof(many(choiceOf('tap', 1)), thenText({ what: 'tap', choice: 0 })),
    }),
    'reason asked': fc.oneof(
      fc.record({ choices: fc.constant<AnswerContent[]>([]), taps: many(choiceOf('tap', 1)) }),
      fc.record({
        choices: fc.oneof(
          many(choiceOf('reason', 1)),
          fc
            .tuple(many(fc.constant<AnswerContent>({ what: 'reason', choice: OTHER }), 2), texts)
            .map((all) => all.flat()),
        ),
        taps: many(fc.constant<AnswerContent>({ what: 'tap', choice: 1 }), 2),
      }),
    ),
    refused: fc.record({
      choices: many(choiceOf('reason', 1)),
      taps: many(fc.constant<AnswerContent>({ what: 'tap', choice: 1 }), 2),
    }),
  }

const stories: fc.Arbitrary<Story> = fc
  .constantFrom(...BEGINNINGS, ...REFUSAL_BEGINNINGS)
  .chain((beginning) => fc.tuple(fc.constant(beginning), answerSets[beginning], fc.boolean(), fc.infiniteStream(gaps)))
  .map(([beginning, { choices, taps }, late, stream]) => {
    const all = [...choices, ...taps]
    // Neither choices and taps nor a text and a choice share a second: arrival would decide between them, not the customer.
    const answers = all.map((content, index) => ({
      ...content,
      gap:
        (stream.next().value ?? 1) ||
        (index === choices.length || content.what === 'text' || all[index - 1]?.what === 'text' ? 1 : 0),
    }))
    // Other needs an open question before its expiry.
    const needsOpen = all.some(({ what, choice }) => what === 'reason' && choice === OTHER)
    return { beginning, answers, late: late && !needsOpen }
  })
  .filter(({ answers }) => answers.length > 0)

const deliveries = ({ answers }: Story): fc.Arbitrary<Delivery[]> => {
  const indexes = answers.flatMap((_, index) => [index, index])
  return fc
    .tuple(
      fc.shuffledSubarray(indexes, { minLength: answers.length }),
      fc.array(
        fc.record({
          worker: fc.constantFrom(0 as const, 1 as const),
          processing: fc.constantFrom(
            'processed' as const,
            'waits' as const,
            'stalls before the conversation' as const,
            'stalls in the conversation' as const,
          ),
          end: fc.constantFrom('goes on' as const, 'is cut off' as const),
        }),
        { minLength: indexes.length, maxLength: indexes.length },
      ),
    )
    .map(([order, how]) => {
      // Deliveries that the shuffle left out come at the end.
      const missing = answers.map((_, index) => index).filter((index) => !order.includes(index))
      return [...order, ...missing].flatMap((answer, index) => {
        const each = how[index]
        return each ? [{ answer, ...each }] : []
      })
    })
}

type Worker = { stall: StallingProxy; reports: ReturnType<typeof reportsLoop> }
type Subject = {
  confirmationId: string
  phone: string
  check: 'confirmation' | 'refusal'
  messages: Map<string, string>
}

class Shop {
  readonly world: World
  readonly workers: readonly [Worker, Worker]
  readonly #submit
  readonly #timers

  constructor(
    world: World,
    parts: readonly [World['parts'], World['parts']],
    stalls: readonly [StallingProxy, StallingProxy],
  ) {
    this.world = world
    this.workers = [
      { stall: stalls[0], reports: reportsLoop(parts[0]) },
      { stall: stalls[1], reports: reportsLoop(parts[1]) },
    ]
    this.#submit = submitLoop(parts[0])
    this.#timers = timersLoop(parts[0])
  }

  async submit(): Promise<void> {
    for (let turn = 0; turn < MAX_LAST_TURNS; turn += 1) {
      await this.#submit.turn()
      await this.#submit.drain?.()
      const waiting = await this.world.query('select 1 from messages where workspace_id = $1 and due_at is not null', [
        this.world.workspaceId,
      ])
      if (waiting.length === 0) return
      this.world.clock.advance(BEYOND_PACE_MS)
    }
    assert.fail('messages are left')
  }

  async ring(): Promise<void> {
    await this.#timers.turn()
  }

  async processAll(): Promise<void> {
    for (let turns = 0; turns < MAX_LAST_TURNS; turns += 1) for (const { reports } of this.workers) await reports.turn()
    const left = await this.world.query(
      `select 1 from provider_reports where workspace_id = $1 and due_at is not null`,
      [this.world.workspaceId],
    )
    assert.equal(left.length, 0, 'reports are left')
  }

  async begin(beginning: Beginning): Promise<Subject> {
    const phone = newPhone()
    const { confirmationId } = await this.world.createConfirmation({ to: phone })
    const subject: Subject = { confirmationId, phone, check: 'confirmation', messages: new Map() }
    await this.submit()
    await this.#look(subject)
    if (isRefusal(beginning)) {
      await this.world.startRefusalCheck({ confirmationId })
      subject.check = 'refusal'
      subject.messages.clear()
      await this.submit()
      await this.#look(subject)
    }
    for (const content of PREPARATIONS[beginning]) {
      this.world.clock.advance(2_000)
      await this.#gesture(subject, content, {})
      await this.processAll()
      await this.submit()
      await this.#look(subject)
    }
    return subject
  }

  async #look({ confirmationId, check, messages }: Subject): Promise<void> {
    const rows = await this.world.query<{ purpose: string; wamid: string }>(
      `select purpose, provider_message_id as wamid from messages
       where confirmation_id = $1 and check_kind = $2 and provider_message_id is not null order by id`,
      [confirmationId, check],
    )
    for (const { purpose, wamid } of rows) if (!messages.has(purpose)) messages.set(purpose, wamid)
  }

  /** Returns the id of the customer's message. */
  async #gesture(subject: Subject, content: AnswerContent, more: Pick<InboundSeed, 'timestamp'>): Promise<string> {
    const { id } = await this.world.emulator.inbound({ from: subject.phone, ...gestureOf(subject, content), ...more })
    return id
  }

  /** One worker, and all webhooks simultaneously. */
  async tellInOrder(subject: Subject, answers: readonly (AnswerContent & { second: number })[]): Promise<void> {
    for (const { second, ...content } of answers) {
      this.world.clock.advance(2)
      await this.#gesture(subject, content, { timestamp: second })
      await this.workers[0].reports.turn()
    }
    await this.processAll()
  }

  async tell(
    subject: Subject,
    answers: readonly (AnswerContent & { second: number })[],
    all: readonly Delivery[],
  ): Promise<void> {
    const ids = new Map<number, string>()
    let stalled: { worker: Worker; end: Delivery['end']; blocked: Promise<unknown>[] } | null = null
    const settle = async (): Promise<void> => {
      if (!stalled) return
      await (stalled.end === 'goes on' ? stalled.worker.stall.release() : stalled.worker.stall.cut())
      await Promise.all(stalled.blocked)
      stalled = null
    }
    for (const { answer, worker: number, processing, end } of all) {
      const content = answers[answer]
      assert.ok(content)
      this.world.clock.advance(2)
      const again = ids.get(answer)
      // A repeated webhook updates the row that a stalled worker has locked, and waits for it.
      if (again !== undefined) await settle()
      if (again === undefined) ids.set(answer, await this.#gesture(subject, content, { timestamp: content.second }))
      else await this.world.emulator.inbound({ from: subject.phone, again })
      const worker = this.workers[number]
      if (processing === 'waits') continue
      if (stalled) {
        // The other worker goes on, unless it waits for the locked conversation.
        const other = this.workers[this.workers[0] === stalled.worker ? 1 : 0]
        const turn = other.reports.turn()
        stalled.blocked.push(turn)
        if (stalled.blocked.length === 1 && processing !== 'processed') continue
        await settle()
        continue
      }
      if (processing === 'processed') {
        await worker.reports.turn()
        continue
      }
      const statement =
        processing === 'stalls before the conversation' ? 'take_provider_reports' : 'write_confirmations'
      await worker.stall.stall(statement, () => worker.reports.turn())
      stalled = { worker, end, blocked: [] }
    }
    await settle()
    await this.processAll()
  }

  async outcome({ confirmationId, check }: Subject) {
    const view = await findConfirmation(this.world.parts.db, this.world.workspaceId, confirmationId)
    assert.ok(view)
    const { confirmationId: _, to: __, createdAt: ___, ...shown } = view
    const events = await this.world.query<{ type: string; occurred_at: Date; body: string }>(
      // ids begin with their millisecond, within which they have no order
      'select type, occurred_at, body from events where confirmation_id = $1 order by left(id::text, 13), occurred_at',
      [confirmationId],
    )
    const own = check === 'confirmation' ? view : view.refusalCheck
    return { view, shown, events, status: own?.status ?? '', answeredAt: own?.answeredAt ?? null }
  }
}

const PREPARATIONS: { readonly [Name in Beginning]: readonly AnswerContent[] } = {
  asked: [],
  confirmed: [{ what: 'tap', choice: 0 }],
  'day asked': [{ what: 'tap', choice: 2 }],
  'time asked': [
    { what: 'tap', choice: 2 },
    { what: 'day', choice: 0 },
  ],
  rescheduled: [
    { what: 'tap', choice: 2 },
    { what: 'day', choice: 0 },
    { what: 'range', choice: 0 },
  ],
  'refusal asked': [],
  'reason asked': [{ what: 'tap', choice: 0 }],
  refused: [
    { what: 'tap', choice: 0 },
    { what: 'reason', choice: 0 },
  ],
}

const QUESTIONS = { day: 'day_question', range: 'time_question', reason: 'reasons_question', tap: 'template' } as const

function gestureOf({ messages }: Subject, { what, choice }: AnswerContent): Omit<InboundSeed, 'from'> {
  if (what === 'text') return { text: 'in the evening' }
  const message = messages.get(QUESTIONS[what])
  assert.ok(message, `there is no ${QUESTIONS[what]}`)
  return what === 'reason' ? { choose: { row: choice, message } } : { tap: { button: choice, message } }
}

const OUTCOMES: Readonly<Record<string, string>> = {
  confirmed: 'cod.confirmed',
  cancelled: 'cod.cancelled',
  rescheduled: 'cod.reschedule_requested',
  denied: 'cod.refusal_denied',
  refusal_confirmed: 'cod.refusal_confirmed',
}

const HOUR_MS = 3_600_000
/** Longer than the deadline and the expiry of a follow-up. */
const LATE_MS = 48 * HOUR_MS

async function agrees(shop: Shop, { beginning, answers, late }: Story, all: readonly Delivery[]): Promise<void> {
  const { world } = shop
  const [subject, reference] = [await shop.begin(beginning), await shop.begin(beginning)]
  let second = Math.floor(world.clock.now().getTime() / 1000)
  const made = answers.map(({ gap, ...content }) => {
    second += gap
    return { ...content, second: second + 1 }
  })
  world.clock.advance(600_000)
  // Within one second arrival decides.
  const arrivals = made.map((_, index) => all.findIndex(({ answer }) => answer === index))
  const inOrder = made
    .map((each, index) => ({ ...each, arrival: arrivals[index] ?? 0 }))
    .sort((one, other) => one.second - other.second || one.arrival - other.arrival)
  await shop.tellInOrder(reference, inOrder)
  if (late) {
    world.clock.advance(LATE_MS)
    await shop.ring()
  }
  await shop.tell(subject, made, all)
  if (late) await shop.ring()

  const [outcome, expected] = [await shop.outcome(subject), await shop.outcome(reference)]
  assert.deepEqual(withoutTimes(outcome.shown), withoutTimes(expected.shown))
  const times = outcome.events.map(({ occurred_at: at }) => at.getTime())
  assert.deepEqual(
    times,
    [...new Set(times)].sort((one, other) => one - other),
    'occurredAt rises strictly',
  )
  const types = outcome.events
    .map(({ type }) => type)
    .filter((type) => type.startsWith('cod.refusal_') === isRefusal(beginning))
  if (outcome.status in OUTCOMES) {
    assert.equal(types.at(-1), OUTCOMES[outcome.status])
    const { occurredAt: _, ...data } = (
      JSON.parse(outcome.events.at(-1)?.body ?? '') as { data: { occurredAt: string } }
    ).data
    assert.deepEqual(data, outcome.view, 'the last event equals the view')
  }
  const labels = [...PREPARATIONS[beginning], ...made].map(({ what, choice }) => `${what} ${choice}`)
  // A repeated answer keeps the time of the first.
  if (!late && new Set(labels).size === labels.length) assert.equal(outcome.answeredAt, expected.answeredAt)
  const twice = await world.query(
    'select report_id from cod_answers where confirmation_id = $1 and report_id is not null group by 1 having count(*) > 1',
    [subject.confirmationId],
  )
  assert.equal(twice.length, 0, 'a report is an answer once')
}

type Shown = Omit<ConfirmationView, 'confirmationId' | 'to' | 'createdAt'>

const withoutTimes = ({ refusalCheck, ...shown }: Shown): Shown => ({
  ...shown,
  answeredAt: null,
  refusalCheck: refusalCheck && { ...refusalCheck, answeredAt: null },
})

test('answers reported in any order end as in their own order', async (t) => {
  const stalls = [createStallingProxy(), createStallingProxy()] as const
  const world = await startWorld(t, {
    works: false,
    mayLogErrors: true,
    wrapDb: stalls[0].wrap,
    account: codAccount(),
  })
  await world.codSettings({ refusal: { reminderMinutes: null, noResponseMinutes: 300 } })
  const { parts: other } = await world.node({ wrapDb: stalls[1].wrap })
  const shop = new Shop(world, [world.parts, other], stalls)
  const deliveredStories = stories.chain((story) => fc.tuple(fc.constant(story), deliveries(story)))
  await fc.assert(
    fc.asyncProperty(deliveredStories, async ([story, all]) => {
      try {
        await agrees(shop, story, all)
      } finally {
        await silence(world)
      }
    }),
    { numRuns: RUNS, endOnFailure: true },
  )
})
