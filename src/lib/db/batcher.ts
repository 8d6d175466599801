/**
 * Group commit: items that arrive while a group runs form the next group, in one round trip. Each item gets its own
 * outcome. When a group fails on one item's data, its items run again one by one, so only the faulty one fails.
 */
export type Batcher<Item, Outcome> = (item: Item) => Promise<Outcome>

export type BatcherOptions<Item> = {
  /** Per group. */
  maxItems: number
  /** Groups that may run at the same time. */
  concurrency: number
  /**
   * The shortest time from one group to the next while less than half a group waits, so that items share transactions at low rates
   * too. With a function, each item has its own interval; the shortest among the waiting items applies. Default 0.
   */
  intervalMs?: number | ((item: Item) => number)
  /** Whether one faulty item may have failed the group: then its items run again one by one. */
  mayRunOneByOne: (error: unknown) => boolean
}

type Waiting<Item, Outcome> = { item: Item; resolve: (outcome: Outcome) => void; reject: (error: unknown) => void }

export function createBatcher<Item, Outcome>(
  run: (items: Item[]) => Promise<Outcome[] | void>,
  { maxItems, concurrency, intervalMs = 0, mayRunOneByOne }: BatcherOptions<Item>,
): Batcher<Item, Outcome> {
  let waiting: Waiting<Item, Outcome>[] = []
  let running = 0
  /** The start of the next group: in this turn, or after the pause. */
  let scheduled: 'now' | NodeJS.Timeout | undefined
  let startedAt = Number.NEGATIVE_INFINITY
  /** The shortest interval of the items that wait. */
  let shortestMs = Number.POSITIVE_INFINITY
  const intervalOf = typeof intervalMs === 'number' ? () => intervalMs : intervalMs

  const schedule = (): void => {
    if (scheduled === 'now' || waiting.length === 0 || running >= concurrency) return
    const ms = pauseMs()
    clearTimeout(scheduled) // a new item may shorten the pause
    if (ms > 0) {
      scheduled = setTimeout(begin, ms)
      return
    }
    scheduled = 'now'
    // After this turn's I/O at least, so that all requests read in this turn join the same group.
    setImmediate(begin)
  }

  const begin = (): void => {
    scheduled = undefined
    start()
    schedule()
  }

  const pauseMs = (): number => (waiting.length < maxItems / 2 ? startedAt + shortestMs - performance.now() : 0)

  const start = (): void => {
    if (waiting.length === 0 || running >= concurrency || pauseMs() > 0) return
    startedAt = performance.now()
    const group = waiting.slice(0, maxItems)
    waiting = waiting.slice(maxItems)
    shortestMs = waiting.reduce((shortest, { item }) => Math.min(shortest, intervalOf(item)), Number.POSITIVE_INFINITY)
    void settle(group)
  }

  const settle = async (group: Waiting<Item, Outcome>[]): Promise<void> => {
    running += 1
    const settleItems = await runTogether(group)
    running -= 1
    // The next group starts first: what callers do with their outcomes takes as long as a group in the database.
    start()
    settleItems()
    schedule()
  }

  /** Returns the function that settles each item. */
  const runTogether = async (group: Waiting<Item, Outcome>[]): Promise<() => void> => {
    try {
      const outcomes = await run(group.map((each) => each.item))
      return () => group.forEach((each, index) => each.resolve(outcomes?.[index] as Outcome))
    } catch (error) {
      if (group.length === 1 || !mayRunOneByOne(error)) return () => group.forEach((each) => each.reject(error))
      for (const each of group) (await runTogether([each]))()
      return () => undefined
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      shortestMs = Math.min(shortestMs, intervalOf(item))
      schedule()
    })
}
