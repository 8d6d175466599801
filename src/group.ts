/**
 * Group commit: what arrives while a group is under way waits and goes as the next group, in one round trip.
 * Each item gets its own outcome. When a whole group fails on one item's data, its items run again one by one, so that
 * a neighbour's fault is never anybody else's.
 */
export type Grouped<Item, Outcome> = (item: Item) => Promise<Outcome>

export type GroupOptions = {
  /** The most items in one group. */
  most: number
  /** How many groups may be under way at once. */
  lanes: number
  /** Whether a failed group may hold one faulty item: then its items run again alone. */
  mayRunAlone: (error: unknown) => boolean
}

type Waiting<Item, Outcome> = { item: Item; resolve: (outcome: Outcome) => void; reject: (error: unknown) => void }

export function grouped<Item, Outcome>(
  run: (items: Item[]) => Promise<Outcome[]>,
  { most, lanes, mayRunAlone }: GroupOptions,
): Grouped<Item, Outcome> {
  let waiting: Waiting<Item, Outcome>[] = []
  let running = 0
  let scheduled = false

  const schedule = (): void => {
    if (scheduled || waiting.length === 0 || running >= lanes) return
    scheduled = true
    // After the I/O of this turn: every request that was read from its socket in this turn joins the same group.
    setImmediate(() => {
      scheduled = false
      start()
      schedule()
    })
  }

  const start = (): void => {
    if (running >= lanes) return
    const group = waiting.slice(0, most)
    waiting = waiting.slice(most)
    if (group.length > 0) void settle(group)
  }

  const settle = async (group: Waiting<Item, Outcome>[]): Promise<void> => {
    running += 1
    const tell = await runTogether(group)
    running -= 1
    // First the next group, then the news of this one: what callers do with it takes as long as the database with a group.
    start()
    tell()
    schedule()
  }

  /** Returns what tells each item its outcome. */
  const runTogether = async (group: Waiting<Item, Outcome>[]): Promise<() => void> => {
    try {
      const outcomes = await run(group.map((each) => each.item))
      return () => group.forEach((each, index) => each.resolve(outcomes[index] as Outcome))
    } catch (error) {
      if (group.length === 1 || !mayRunAlone(error)) return () => group.forEach((each) => each.reject(error))
      for (const each of group) (await runTogether([each]))()
      return () => undefined
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      schedule()
    })
}
