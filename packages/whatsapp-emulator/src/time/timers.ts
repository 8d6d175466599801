import type { Storage } from '../store/saved-map.ts'
import type { DueKind } from '../wire/chats.ts'
import type { Clock } from './clock.ts'

type PlanKind = 'status' | 'arrival' | 'expiry' | 'answer' | 'inbound' | 'review' | 'webhook'

/** A scheduled action that can be shown and saved. `define` says what its kind does. */
export type Plan<Data = unknown> = { readonly kind: PlanKind; readonly data: Data }

/** How a plan is shown. Null for a plan that belongs to no chat. */
export type DueText = { kind: DueKind; what: string; phone: string | null; number: string | null }

type Handlers<Data, Row> = {
  /** `dueAt`: the instant for which it was planned. */
  run: (data: Data, dueAt: number) => void
  /** Returns undefined if the plan would change nothing now. */
  due: (data: Data) => DueText | undefined
  /** The saved form, by default the data; undefined for a plan that would do nothing in another process. */
  toRow?: (data: Data) => Row | undefined
  fromRow?: (row: Row) => Data | undefined
}

/** A function for what ends with the process, such as a connection; otherwise a plan. */
type Act = Plan | (() => void)
type Timer = { dueAt: number; order: number; act: Act; kind: Kind }

/** `answer`: a caller waits for it, and a reset does not cancel it. `background`: idle() does not wait for it. */
export type Kind = 'usual' | 'answer' | 'background'

/** `inMs` is negative for an overdue plan. */
export type PlannedTimer = { id: string; inMs: number; due: DueText }
/** `dueAt`: by the monotonic clock. */
export type SavedPlan = { dueAt: number; kind: Kind; plan: Plan }

type Options = {
  clock: Clock
  storage: Storage
  speed: () => number
  onIdle: () => void
  onFault: (fault: unknown) => void
}

/**
 * All delays of the emulator in one sorted list behind one Node timer: three statuses for each of 1,000 messages a second
 * would otherwise be 3,000 timers a second. Nothing runs before `begin`.
 */
export class Timers {
  readonly #options: Options
  readonly #handlers = new Map<PlanKind, Handlers<unknown, unknown>>()
  /** The next timer is last, so that taking it is cheap. */
  #timers: Timer[] = []
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

  define<Data, Row = Data>(kind: PlanKind, handlers: Handlers<Data, Row>): void {
    this.#handlers.set(kind, handlers as unknown as Handlers<unknown, unknown>)
  }

  begin(): void {
    this.#begun = true
    this.#arm()
  }

  /** Runs after `ms` of the emulator's time; with speed 0 on the next turn of the loop, in order. */
  after(ms: number, act: Act, kind: Kind = 'usual'): void {
    this.afterUnscaled(this.scaled(ms), act, kind)
  }

  scaled(ms: number): number {
    return ms * this.#options.speed()
  }

  /** `ms` at any speed. */
  afterUnscaled(ms: number, act: Act, kind: Kind = 'usual'): void {
    if (this.#closed) return
    const dueAt = this.#options.clock.elapsed() + ms
    const timer: Timer = { dueAt, order: this.#order++, act, kind }
    if (kind !== 'background') this.#waiting++
    this.#timers.splice(this.#placeOf(timer), 0, timer)
    this.#save(timer)
    if (timer.dueAt < this.#sleepsUntil) this.#arm()
  }

  /** Restores a saved plan, unless what it is about was dropped. */
  restore(ms: number, { kind: planKind, data: row }: Plan, kind: Kind): void {
    const { fromRow = (row) => row } = this.#handlersOf(planKind)
    const data = fromRow(row)
    if (data !== undefined) this.afterUnscaled(ms, { kind: planKind, data }, kind)
  }

  /** What is due, in order. */
  due(): PlannedTimer[] {
    const elapsed = this.#options.clock.elapsed()
    const planned = this.#timers.flatMap(({ act, order, dueAt }) => {
      const due = typeof act === 'function' ? undefined : this.#handlersOf(act.kind).due(act.data)
      return due === undefined ? [] : [{ id: `plan-${order}`, inMs: dueAt - elapsed, due }]
    })
    return planned.toReversed()
  }

  /** The data of all plans of this kind. */
  plansOf(kind: PlanKind): unknown[] {
    return this.#timers.flatMap(({ act }) => (typeof act !== 'function' && act.kind === kind ? [act.data] : []))
  }

  /** The time until the next plan is due; 0 when one is due. Undefined if there is none. */
  get nextInMs(): number | undefined {
    const next = this.#timers.at(-1)
    return next && Math.max(0, next.dueAt - this.#options.clock.elapsed())
  }

  cancelPlans(kind: PlanKind, matches: (data: unknown) => boolean = () => true): void {
    this.#cancelAll(({ act }) => typeof act !== 'function' && act.kind === kind && matches(act.data))
  }

  clear(): void {
    this.#cancelAll(({ kind }) => kind === 'usual')
  }

  close(): void {
    this.#closed = true
    this.#stopSleeping()
    this.#timers = []
    this.#waiting = 0
    this.#options.onIdle()
  }

  /** Runs what is due. Call it after moving the clock. */
  runDue(): void {
    this.#stopSleeping()
    const elapsed = this.#options.clock.elapsed()
    // Timers added meanwhile wait for the next turn, so that zero delays cannot starve the server.
    const last = this.#order
    for (;;) {
      const next = this.#timers.at(-1)
      if (next === undefined || next.dueAt > elapsed || next.order >= last) break
      this.#timers.pop()
      this.#end(next)
      this.#run(next, elapsed)
    }
    this.#arm()
    if (this.#waiting === 0) this.#options.onIdle()
  }

  #run({ act, dueAt }: Timer, elapsed: number): void {
    try {
      if (typeof act === 'function') act()
      else this.#handlersOf(act.kind).run(act.data, this.#options.clock.now() - (elapsed - dueAt))
    } catch (fault) {
      this.#options.onFault(fault)
    }
  }

  #handlersOf(kind: PlanKind): Handlers<unknown, unknown> {
    const handlers = this.#handlers.get(kind)
    if (handlers === undefined) throw new Error(`no plan is defined as ${kind}`)
    return handlers
  }

  #cancelAll(matches: (timer: Timer) => boolean): void {
    const cancelled = this.#timers.filter(matches)
    this.#timers = this.#timers.filter((timer) => !matches(timer))
    for (const timer of cancelled) this.#end(timer)
    if (this.#waiting === 0) this.#options.onIdle()
  }

  #end({ act, order, kind }: Timer): void {
    if (typeof act !== 'function') this.#options.storage.remove('plans', String(order))
    if (kind !== 'background') this.#waiting--
  }

  /** The index at which the timer belongs. */
  #placeOf({ dueAt, order }: Timer): number {
    let [from, to] = [0, this.#timers.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const other = this.#timers[middle]
      if (other !== undefined && (other.dueAt > dueAt || (other.dueAt === dueAt && other.order > order)))
        from = middle + 1
      else to = middle
    }
    return from
  }

  #save({ act, order, dueAt, kind }: Timer): void {
    if (typeof act === 'function') return
    this.#options.storage.put('plans', String(order), () => {
      const { toRow = (data) => data } = this.#handlersOf(act.kind)
      const data = toRow(act.data)
      return data === undefined ? undefined : ({ dueAt, kind, plan: { kind: act.kind, data } } satisfies SavedPlan)
    })
  }

  #arm(): void {
    this.#stopSleeping()
    const next = this.#timers.at(-1)
    if (next === undefined || !this.#begun || this.#closed) return
    const wait = next.dueAt - this.#options.clock.elapsed()
    this.#sleepsUntil = next.dueAt
    // setTimeout takes at most 2^31 ms; a longer wait is split.
    if (wait <= 0) this.#soon = setImmediate(() => this.runDue())
    else this.#sleep = setTimeout(() => this.runDue(), Math.min(wait, 2 ** 31 - 1))
  }

  #stopSleeping(): void {
    clearTimeout(this.#sleep)
    clearImmediate(this.#soon)
    this.#sleepsUntil = Number.POSITIVE_INFINITY
  }
}
