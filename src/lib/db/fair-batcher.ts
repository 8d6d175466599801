import { BoundedMap } from '../bounded-map.ts'
import { DatabaseUnavailable } from './connection.ts'
import { type BatcherOptions, type Batcher, createBatcher } from './batcher.ts'
import { isBatchFault, isDatabaseUnavailable, isLockTimeout } from './pool.ts'

/** The database works, but other sessions keep its rows locked. */
class RowsLocked extends DatabaseUnavailable {
  constructor() {
    super('too many rows are locked by other sessions')
  }
}

/** Whether nothing can be stored. An error of a fair batcher may also mean that only some rows are locked. */
export const isOutage = (error: unknown): boolean => isDatabaseUnavailable(error) && !(error instanceof RowsLocked)

type FairBatcherOptions<Item> = Omit<BatcherOptions<Item>, 'mayRunOneByOne'> & { ownerOf: (item: Item) => string }

/** How many blocked owners may run groups at the same time. */
const SEPARATE_CONCURRENCY = 2
/** How long an item of a blocked owner waits for one of these. */
const MAX_QUEUE_MS = 2_000
const MAX_SEPARATE_OWNERS = 1_000

/** Thrown by `run` if it knows which of several owners block the group: the items of the others are then run together again. */
export class OwnersBlocked extends Error {
  readonly owners: readonly string[]

  constructor(owners: readonly string[]) {
    super('rows of these owners are locked')
    this.owners = owners
  }
}

/** How many blocked groups an item may be in before its owner gets groups of its own. */
const MAX_BLOCKED_GROUPS = 3

/**
 * Group commit in which one owner may block the group. If `run` names the blocked owners, each of them gets groups of its own until one
 * succeeds (`isSeparate`). If it cannot, every owner in the group does. So the others hardly wait for a blocked owner.
 */
export function createFairBatcher<Item, Outcome>(
  run: (items: Item[], group: { isSeparate: boolean }) => Promise<Outcome[] | void>,
  { ownerOf, ...limits }: FairBatcherOptions<Item>,
): Batcher<Item, Outcome> {
  const options = { ...limits, mayRunOneByOne: isBatchFault }
  const separateBatchers = new BoundedMap<string, Batcher<Item, Outcome>>(MAX_SEPARATE_OWNERS)
  const acquire = createSemaphore(SEPARATE_CONCURRENCY)

  const runTogether = async (items: Item[]): Promise<Outcome[] | void> => {
    try {
      return await run(items, { isSeparate: false })
    } catch (error) {
      if (error instanceof OwnersBlocked) {
        for (const owner of error.owners) separate(owner)
        throw new GroupBlocked()
      }
      if (!isLockTimeout(error)) throw error // some owner's items need a row that is locked
      const owners = new Set(items.map(ownerOf))
      for (const owner of owners) separate(owner)
      throw owners.size > 1 ? new GroupBlocked() : error
    }
  }
  const together = createBatcher(runTogether, options)

  const separate = (owner: string): Batcher<Item, Outcome> => {
    const known = separateBatchers.get(owner)
    if (known) return known
    const own = createBatcher(
      async (items: Item[]) => {
        const release = await acquire()
        try {
          const outcomes = await run(items, { isSeparate: true })
          separateBatchers.delete(owner)
          return outcomes
        } finally {
          release()
        }
      },
      { ...options, concurrency: 1 },
    )
    separateBatchers.set(owner, own)
    return own
  }

  return async (item) => {
    const owner = ownerOf(item)
    for (let blocked = 0; blocked < MAX_BLOCKED_GROUPS; blocked += 1) {
      const own = separateBatchers.get(owner)
      if (own) return own(item)
      try {
        return await together(item)
      } catch (error) {
        if (!(error instanceof GroupBlocked)) throw error
      }
    }
    return separate(owner)(item)
  }
}

/** Another owner may have blocked the group. */
class GroupBlocked extends Error {}

/** Resolves with the function that releases the permit. */
function createSemaphore(permits: number): () => Promise<() => void> {
  let used = 0
  const waiting = new Set<() => void>()
  const release = (): void => {
    const [next] = waiting
    if (next) next()
    else used -= 1
  }
  return () => {
    if (used < permits) {
      used += 1
      return Promise.resolve(release)
    }
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(next)
        reject(new RowsLocked())
      }, MAX_QUEUE_MS)
      const next = (): void => {
        clearTimeout(timer)
        waiting.delete(next)
        resolve(release)
      }
      waiting.add(next)
    })
  }
}
