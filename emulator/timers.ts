import { type Noting, UNNOTED } from './changes.ts'
import type { Clock } from './clock.ts'
import type { Plan, PlanKind, PlanOf } from './plans.ts'

/** What a connection that ends with the process waits for is a function; all else is a plan. */
type Act = Plan | (() => void)
type Timer = { dueAt: number; order: number; act: Act; kind: Kind; over: boolean }

/** `answer`: someone waits for it, a reset leaves it alone. `background`: idle() does not wait for it, either. */
export type Kind = 'usual' | 'answer' | 'background'

export type Cancel = () => void
/** `order` tells plans apart; `inMs` is negative for one that is overdue. */
export type Planned = { order: number; inMs: number; kind: Kind; plan: Plan }

/** `dueAt` is of the clock that only grows. */
export type PlannedAt = { dueAt: number; kind: Kind; plan: Plan }

type Options = {
  clock: Clock
  changes?: Noting
  speed: () => number
  onIdle: () => void
  onFault: (fault: unknown) => void
}
type Handler<Kind extends PlanKind> = (plan: PlanOf<Kind>, dueAt: number) => void

/**
 * All delays of the twin in one heap behind one Node timer: three statuses for each of 1,000 messages a second
 * would otherwise be 3,000 timers a second, and closing has one place to clear. Nothing runs before `begin`.
 */
export class Timers {
  readonly #options: Options
  /** Each under the kind that it takes. */
  readonly #handlers = new Map<PlanKind, (plan: never, dueAt: number) => void>()
  #heap: Timer[] = []
  #order = 0
  #waiting = 0
  #sleep: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #sleepsUntil = Number.POSITIVE_INFINITY
  #begun = false
  #closed = false

  constructor(options: Options) {
    this.#options = options
  }

  /** Timers that idle() waits for. */
  get waiting(): number {
    return this.#waiting
  }

  /** What happens when a plan of this kind is due; `dueAt` is the instant for which it was made. */
  handle<Kind extends PlanKind>(kind: Kind, run: Handler<Kind>): void {
    this.#handlers.set(kind, run)
  }

  begin(): void {
    this.#begun = true
    this.#arm()
  }

  /** Runs after `ms` of the twin's time; with speed 0 on the next turn of the loop, in the order asked. */
  after(ms: number, act: Act, kind: Kind = 'usual'): Cancel {
    return this.#add(this.scaled(ms), act, kind)
  }

  scaled(ms: number): number {
    return ms * this.#options.speed()
  }

  /** `ms` whatever the speed. */
  afterUnscaled(ms: number, act: Act, kind: Kind = 'usual'): Cancel {
    return this.#add(ms, act, kind)
  }

  /** In the order in which they are due. */
  plans(): Planned[] {
    const elapsed = this.#options.clock.elapsed()
    return this.planned()
      .map(([order, { dueAt, ...planned }]) => ({ order: Number(order), inMs: dueAt - elapsed, ...planned }))
      .toSorted((one, other) => one.inMs - other.inMs || one.order - other.order)
  }

  /** By their orders; in none. */
  planned(): [string, PlannedAt][] {
    return this.#heap.flatMap(({ act, order, dueAt, kind, over }) =>
      over || typeof act === 'function' ? [] : [[String(order), { dueAt, kind, plan: act }]],
    )
  }

  /** Until the next one is due; 0 when one is. Undefined when there is none. */
  get nextInMs(): number | undefined {
    while (this.#heap[0]?.over === true) pop(this.#heap)
    const [next] = this.#heap
    return next && Math.max(0, next.dueAt - this.#options.clock.elapsed())
  }

  cancelPlans(isMeant: (plan: Plan) => boolean): void {
    for (const timer of this.#heap) if (typeof timer.act !== 'function' && isMeant(timer.act)) this.#cancel(timer)
    this.#dropOver()
  }

  clear(): void {
    for (const timer of this.#heap) if (timer.kind === 'usual') this.#cancel(timer)
    this.#dropOver()
  }

  close(): void {
    this.#closed = true
    this.#stopSleeping()
    for (const timer of this.#heap) timer.over = true
    this.#heap = []
    this.#waiting = 0
    this.#options.onIdle()
  }

  /** Runs what is due. To be called when the clock was moved. */
  runDue(): void {
    this.#stopSleeping()
    const elapsed = this.#options.clock.elapsed()
    // What is added while these run waits for the next turn, so that a loop of zero delays cannot starve the server.
    const last = this.#order
    for (
      let next = this.#heap[0];
      next !== undefined && next.dueAt <= elapsed && next.order < last;
      next = this.#heap[0]
    ) {
      pop(this.#heap)
      if (next.over) continue
      next.over = true
      this.#note(next)
      if (next.kind !== 'background') this.#waiting--
      this.#run(next, elapsed)
    }
    this.#arm()
    if (this.#waiting === 0) this.#options.onIdle()
  }

  #run({ act, dueAt }: Timer, elapsed: number): void {
    try {
      if (typeof act === 'function') act()
      else this.#handlers.get(act.kind)?.(act as never, this.#options.clock.now() - (elapsed - dueAt))
    } catch (fault) {
      this.#options.onFault(fault)
    }
  }

  #add(ms: number, act: Act, kind: Kind): Cancel {
    if (this.#closed) return () => {}
    const dueAt = this.#options.clock.elapsed() + ms
    const timer: Timer = { dueAt, order: this.#order++, act, kind, over: false }
    if (kind !== 'background') this.#waiting++
    push(this.#heap, timer)
    this.#note(timer)
    if (timer.dueAt < this.#sleepsUntil) this.#arm()
    return () => this.#cancel(timer)
  }

  #cancel(timer: Timer): void {
    if (timer.over) return
    timer.over = true
    this.#note(timer)
    if (timer.kind !== 'background') this.#waiting--
    if (this.#waiting === 0) this.#options.onIdle()
  }

  #note({ act, order, dueAt, kind, over }: Timer): void {
    const { changes = UNNOTED } = this.#options
    if (typeof act !== 'function') changes.note('plans', String(order), over ? undefined : { dueAt, kind, plan: act })
  }

  /** Sorted is a heap, too. */
  #dropOver(): void {
    this.#heap = this.#heap.filter((timer) => !timer.over).toSorted((a, b) => (before(a, b) ? -1 : 1))
  }

  #arm(): void {
    this.#stopSleeping()
    const next = this.#heap[0]
    if (next === undefined || !this.#begun || this.#closed) return
    const wait = next.dueAt - this.#options.clock.elapsed()
    this.#sleepsUntil = next.dueAt
    // setTimeout holds 2^31 ms at most; a longer wait is taken in pieces.
    if (wait <= 0) this.#soon = setImmediate(() => this.runDue())
    else this.#sleep = setTimeout(() => this.runDue(), Math.min(wait, 2 ** 31 - 1))
  }

  #stopSleeping(): void {
    clearTimeout(this.#sleep)
    clearImmediate(this.#soon)
    this.#sleepsUntil = Number.POSITIVE_INFINITY
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.dueAt < b.dueAt || (a.dueAt === b.dueAt && a.order < b.order)
}

function push(heap: Timer[], timer: Timer): void {
  let at = heap.length
  heap.push(timer)
  while (at > 0) {
    const parentAt = (at - 1) >> 1
    const parent = heap[parentAt]
    if (parent === undefined || before(parent, timer)) break
    heap[at] = parent
    at = parentAt
  }
  heap[at] = timer
}

function pop(heap: Timer[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let at = 0
  for (;;) {
    let childAt = 2 * at + 1
    let child = heap[childAt]
    if (child === undefined) break
    const right = heap[childAt + 1]
    if (right !== undefined && before(right, child)) {
      child = right
      childAt++
    }
    if (before(last, child)) break
    heap[at] = child
    at = childAt
  }
  heap[at] = last
}
