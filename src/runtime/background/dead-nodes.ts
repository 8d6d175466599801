import { MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'
import { UNKNOWN_WAIT_MS } from '../../messages/queue/decide.ts'
import { SUBMIT_LEASE_MS, awaitReports, giveBackMessages } from '../../messages/queue/claim.ts'
import type { Parts } from '../parts.ts'
import { giveBackDeliveries } from '../../webhooks/delivery/claim.ts'
import type { Loop } from '../jobs/loop.ts'
import { changeLeased, takeLeases } from '../jobs/leases.ts'
import { lockDeadNodes, removeNodes } from '../jobs/node.ts'

const POLL_MS = 500
/**
 * A lease begins as soon as the database confirms the claim's commit. If it has not begun after this, the confirmation was lost. A process
 * that is only slow sends nothing once its lease is gone.
 */
const MAX_BEGIN_MS = 5 * SECOND_MS

/**
 * A lease that was taken later than this comes from a clock that has been corrected since: its rows would wait for as long as the
 * clock was ahead. A node with the old time takes such leases for up to a minute; as from a dead node, a request of it that takes
 * longer than the wait for its report may be repeated.
 */
const MAX_AHEAD_MS = MINUTE_MS

/** Gives back the leases of dead nodes, those that never began, and those that were taken by a clock that was ahead. */
export const leasesLoop = ({
  db,
  clock,
  log,
  node,
  wake,
}: Pick<Parts, 'db' | 'clock' | 'log' | 'node' | 'wake'>): Loop => ({
  name: 'leases',
  pollMs: POLL_MS,
  async turn() {
    const now = clock.now()
    const { dead, unbegun, deliveries, taken } = await db.transaction(async (tx) => {
      const dead = node.mayDeclareDead() ? await lockDeadNodes(tx, node) : []
      const leases = await tx.rows(takeLeases, [dead.map(({ id }) => id), ...lostLeaseTimes(now)])
      const { begun = [], unbegun = [], deliveries = [] } = Object.groupBy(leases, ({ state }) => state)
      await changeLeased(tx, awaitReports, begun, later(now, UNKNOWN_WAIT_MS))
      await changeLeased(tx, giveBackMessages, unbegun, now)
      await changeLeased(tx, giveBackDeliveries, deliveries, now)
      if (dead.length > 0) await removeNodes(tx, dead)
      return { dead, unbegun, deliveries, taken: leases.length }
    })
    if (unbegun.length > 0) wake('submit')
    if (deliveries.length > 0) wake('deliver')
    for (const { id } of dead) log.warn({ nodeId: id }, 'a node died; other nodes now do its work')
    return { more: false, idle: dead.length === 0 && taken === 0 }
  },
})

/** The times of takeLeases. Messages of older leases are found by the next claim. */
export const lostLeaseTimes = (now: Date): Date[] => [
  later(now, -SUBMIT_LEASE_MS),
  later(now, -MAX_BEGIN_MS),
  later(now, MAX_AHEAD_MS),
]
