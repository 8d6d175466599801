type Timer = { dueAt: number; order: number; run: () => void; kind: Kind; over: boolean }

/** `answer`: someone waits for it, a reset leaves it alone. `background`: idle() does not wait for it, either. */
type Kind = 'usual' | 'answer' | 'background'

export type Cancel = () => void

/**
 * All delays of the twin in one heap behind one Node timer: three statuses for each of 1,000 messages a second
 * would otherwise be 3,000 timers a second, and closing has one place to clear.
 */
export class Timers {
  readonly #speed: () => number
  readonly #onIdle: () => void
  readonly #onFault: (fault: unknown) => void
  #heap: Timer[] = []
  #order = 0
  #waiting = 0
  #sleep: NodeJS.Timeout | undefined
  #soon: NodeJS.Immediate | undefined
  #sleepsUntil = Number.POSITIVE_INFINITY
  #closed = false

  constructor(speed: () => number, onIdle: () => void, onFault: (fault: unknown) => void) {
    this.#speed = speed
    this.#onIdle = onIdle
    this.#onFault = onFault
  }

  /** Timers that idle() waits for. */
  get waiting(): number {
    return this.#waiting
  }

  /** Runs after `ms` of the twin's time; with speed 0 on the next turn of the loop, in the order asked. */
  after(ms: number, run: () => void, kind: Kind = 'usual'): Cancel {
    return this.#add(ms * this.#speed(), run, kind)
  }

  /** `ms` of real time. */
  afterUnscaled(ms: number, run: () => void, kind: Kind = 'usual'): Cancel {
    return this.#add(ms, run, kind)
  }

  clear(): void {
    for (const timer of this.#heap) if (timer.kind === 'usual') this.#cancel(timer)
    // Sorted is a heap, too.
    this.#heap = this.#heap.filter((timer) => !timer.over).toSorted((a, b) => (before(a, b) ? -1 : 1))
  }

  close(): void {
    this.#closed = true
    this.#stopSleeping()
    for (const timer of this.#heap) timer.over = true
    this.#heap = []
    this.#waiting = 0
    this.#onIdle()
  }

  #add(ms: number, run: () => void, kind: Kind): Cancel {
    if (this.#closed) return () => {}
    const timer: Timer = { dueAt: performance.now() + ms, order: this.#order++, run, kind, over: false }
    if (kind !== 'background') this.#waiting++
    push(this.#heap, timer)
    if (timer.dueAt < this.#sleepsUntil) this.#arm()
    return () => this.#cancel(timer)
  }

  #cancel(timer: Timer): void {
    if (timer.over) return
    timer.over = true
    if (timer.kind !== 'background') this.#waiting--
    if (this.#waiting === 0) this.#onIdle()
  }

  #arm(): void {
    this.#stopSleeping()
    const next = this.#heap[0]
    if (next === undefined) return
    const wait = next.dueAt - performance.now()
    this.#sleepsUntil = next.dueAt
    // setTimeout holds 2^31 ms at most; a longer wait is taken in pieces.
    if (wait <= 0) this.#soon = setImmediate(() => this.#runDue())
    else this.#sleep = setTimeout(() => this.#runDue(), Math.min(wait, 2 ** 31 - 1))
  }

  #stopSleeping(): void {
    clearTimeout(this.#sleep)
    clearImmediate(this.#soon)
    this.#sleepsUntil = Number.POSITIVE_INFINITY
  }

  #runDue(): void {
    this.#sleepsUntil = Number.POSITIVE_INFINITY
    const now = performance.now()
    // What is added while these run waits for the next turn, so that a loop of zero delays cannot starve the server.
    const last = this.#order
    for (let next = this.#heap[0]; next !== undefined && next.dueAt <= now && next.order < last; next = this.#heap[0]) {
      pop(this.#heap)
      if (next.over) continue
      next.over = true
      if (next.kind !== 'background') this.#waiting--
      try {
        next.run()
      } catch (fault) {
        this.#onFault(fault)
      }
    }
    this.#arm()
    if (this.#waiting === 0) this.#onIdle()
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
