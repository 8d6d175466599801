import { CallError } from './errors.ts'

/** Runs the work when the user has a free slot. Throws when too many of the user's calls wait already. */
export type UserConcurrency = <Outcome>(userId: string, work: () => Promise<Outcome>) => Promise<Outcome>

/** One user's many calls delay only that user's other calls. `maxWaiting` does not count the running calls. */
export function createUserConcurrency(limits: { maxRunning: number; maxWaiting: number }): UserConcurrency {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>()
  return async (userId, work) => {
    const queue = queues.get(userId) ?? { running: 0, waiting: [] }
    queues.set(userId, queue)
    if (queue.running < limits.maxRunning) queue.running += 1
    else if (queue.waiting.length < limits.maxWaiting) await new Promise<void>((start) => queue.waiting.push(start))
    else throw new CallError('TOO_MANY_REQUESTS', { code: 'admin.too_much' })
    try {
      return await work()
    } finally {
      const next = queue.waiting.shift()
      if (next) next()
      else queue.running -= 1
      if (queue.running === 0) queues.delete(userId)
    }
  }
}
