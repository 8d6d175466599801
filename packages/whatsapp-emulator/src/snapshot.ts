import type { Head, Parts } from './parts.ts'
import type { StateSource } from './store/store.ts'
import type { Plan, SavedPlan } from './time/timers.ts'
import type { WebhookPost } from './wire/chats.ts'

/** What a customer does next, after the answer that it waits for. */
type SavedTurn = { afterMs: number; plan: Plan }

/** Keys of these sections belong to one process: the next writes its own. */
const OF_PROCESS = ['plans', 'turns', 'waiting', 'underWay']

/** Rate limits and counts are not saved. */
export function stateSourceOf(parts: Parts): StateSource {
  const { clock, messages, nextIds, outbox, timers } = parts
  const head = (): Head => ({
    savedAt: clock.now(),
    elapsedMs: clock.elapsed(),
    aheadMs: clock.aheadMs,
    nextIds,
    paused: outbox.paused,
  })
  /** Posts that are listed, referenced by statuses, in flight, or waiting for a retry. */
  const usedPosts = (): WebhookPost[] => [
    ...messages.list().flatMap(({ statuses }) => statuses.flatMap(({ post }) => post ?? [])),
    ...outbox.posts(),
    ...outbox.underWay(),
    ...(timers.plansOf('webhook') as { post: WebhookPost }[]).map(({ post }) => post),
  ]
  return { head, usedPosts: () => usedPosts().map(({ id }) => id) }
}

/** Restores plans in parts that have not begun. Overdue ones come first, in order. */
export function restorePlans({ accounts, clock, outbox, storage, timers }: Parts, head: Head): void {
  for (const section of OF_PROCESS) for (const [key] of storage.rows(section)) storage.remove(section, key)
  outbox.restore(accounts)
  const offMs = Math.max(0, clock.now() - head.savedAt)
  const planned = storage.rows('plans').map(([, row]) => {
    const { dueAt, kind, plan } = row as SavedPlan
    return { inMs: dueAt - head.elapsedMs, kind, plan }
  })
  const next = storage.rows('turns').map(([, row]) => {
    const { afterMs, plan } = row as SavedTurn
    return { inMs: afterMs, kind: 'usual' as const, plan }
  })
  for (const { plan, inMs, kind } of [...planned.toSorted((one, other) => one.inMs - other.inMs), ...next]) {
    timers.restore(inMs - offMs, plan, kind)
  }
}
