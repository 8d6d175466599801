import { setTimeout as wait } from 'node:timers/promises'
import { SECOND_MS } from '../clock.ts'
import type { Loop } from '../jobs/loop.ts'
import type { Parts } from '../parts.ts'
import { type Claimed, type Due, FIRST, type Room, claim, findDue } from './claim.ts'
import { type Carried, courier } from './courier.ts'
import { hold } from './endpoint-status.ts'
import { finisher } from './finish.ts'
import { webhookAgent } from './post.ts'

const POLL_MS = 500
/** Turns follow each other no faster, so that each claims a batch. It adds as much to a delivery's way at the most. */
const TURN_SPACING_MS = 8
/** With very many waiting endpoints the search takes at most one part in so many of the time. */
const SEARCH_SHARE = 4

/** Attempts under way per endpoint: until it has proven itself and while it fails, and at the most. One more with each success. */
const LEAST = 2
const MOST = 32

/** An endpoint with an attempt under way for so long counts as slow. */
const SLOW_AFTER_MS = 2 * SECOND_MS
/**
 * Attempts under way, by how their endpoints fare. Endpoints that never answer fill the share of the lame and, at first,
 * of the new: those that answer have theirs to themselves.
 */
const SHARES = { brisk: 512, new: 512, lame: 512 }
type Share = keyof typeof SHARES
/** The new and the lame together: who turns lame takes its attempts along. Bounds sockets and memory. */
const UNPROVEN_MOST = 2_048

/** So many endpoints' pace is remembered. */
const LANES_MOST = 10_000

/** On stop, attempts under way get so long; then they are given back, to be made again at once by whoever is there. */
const DRAIN_MS = 5 * SECOND_MS
const FINISH_TRIES = 3
const FINISH_PAUSE_MS = 500

/** What this process knows of an endpoint's pace. */
type Lane = {
  state: 'new' | 'proven' | 'failing'
  most: number
  servedAt: number
  /** Leases and when their attempts started, the oldest first. */
  underWay: Map<string, number>
}

/** Delivers what is due, each endpoint at its own pace: none waits for another. */
export function deliverLoop(parts: Parts): Loop {
  const agent = webhookAgent({ allowPrivate: parts.config.allowPrivateWebhooks })
  const stop = new AbortController()
  const carry = courier(parts, agent, stop.signal)
  const finish = finisher(parts)
  const lanes = new Map<string, Lane>()
  const busy = new Set<Lane>()
  const running = new Set<Promise<void>>()
  let cursor = FIRST
  let searchMs = 0
  let lastTurnAt = Number.NEGATIVE_INFINITY
  /** In this round, from the first endpoint to the last, something due was left for want of room. */
  let wanting = false
  /** In this round an attempt ended, which made room. */
  let ended = false

  return { name: 'deliver', pollMs: POLL_MS, turn, drain }

  async function turn(): Promise<{ more: boolean }> {
    await space()
    if (cursor === FIRST) {
      wanting = false
      ended = false
    }
    const began = performance.now()
    const { due, next } = await findDue(parts.db, cursor, parts.clock.now())
    searchMs = performance.now() - began
    cursor = next ?? FIRST
    const targets = new Map(due.map((target) => [target.endpointId, target]))
    const rooms = makeRoom(due.filter(({ status }) => status === 'enabled'))
    const claimed = rooms.length > 0 ? await claim(parts.db, rooms, parts.clock) : []
    for (const delivery of claimed) {
      const target = targets.get(delivery.endpointId)
      if (target) start(delivery, target)
    }
    const taken = Map.groupBy(claimed, ({ endpointId }) => endpointId)
    wanting ||= rooms.some(({ endpointId, room }) => taken.get(endpointId)?.length === room)
    // Recorded or given its next time while the endpoint was being paused or disabled.
    for (const { workspaceId, endpointId } of due.filter(({ status }) => status !== 'enabled'))
      await hold(parts.db, workspaceId, endpointId)
    return { more: next !== undefined || (wanting && ended) }
  }

  async function space(): Promise<void> {
    const pause = lastTurnAt + Math.max(TURN_SPACING_MS, SEARCH_SHARE * searchMs) - performance.now()
    if (pause > 0) await wait(pause)
    lastTurnAt = performance.now()
  }

  function makeRoom(due: readonly Due[]): Room[] {
    const now = performance.now()
    const left = sharesLeft(now)
    const rooms: Room[] = []
    for (const { target, lane } of leastRecentlyServed(due)) {
      const share = shareOf(lane, now)
      const room = Math.min(lane.most - lane.underWay.size, left[share])
      if (room > 0) {
        const { workspaceId, endpointId } = target
        rooms.push({ workspaceId, endpointId, room })
        left[share] -= room
      } else wanting = true
    }
    return rooms
  }

  /** So that a share that is full goes round, and an endpoint that recovers gets its chance among those that do not. */
  function leastRecentlyServed(due: readonly Due[]): { target: Due; lane: Lane }[] {
    return due
      .map((target) => ({ target, lane: laneOf(target.endpointId, target.failingSince !== null) }))
      .sort((a, b) => a.lane.servedAt - b.lane.servedAt)
  }

  function sharesLeft(now: number): Record<Share, number> {
    const taken = { brisk: 0, new: 0, lame: 0 }
    for (const lane of busy) taken[shareOf(lane, now)] += lane.underWay.size
    const unproven = UNPROVEN_MOST - taken.new - taken.lame
    return {
      brisk: SHARES.brisk - taken.brisk,
      new: Math.min(SHARES.new - taken.new, unproven),
      lame: Math.min(SHARES.lame - taken.lame, unproven),
    }
  }

  function laneOf(endpointId: string, failing: boolean): Lane {
    const known = lanes.get(endpointId)
    if (known) return known
    if (lanes.size >= LANES_MOST) for (const [id, lane] of lanes) if (lane.underWay.size === 0) lanes.delete(id)
    const lane: Lane = { state: failing ? 'failing' : 'new', most: LEAST, servedAt: 0, underWay: new Map() }
    lanes.set(endpointId, lane)
    return lane
  }

  function start(delivery: Claimed, target: Due): void {
    const lane = laneOf(delivery.endpointId, target.failingSince !== null)
    lane.servedAt = performance.now()
    lane.underWay.set(delivery.lease, lane.servedAt)
    busy.add(lane)
    const ended = run(delivery, target, lane).finally(() => running.delete(ended))
    running.add(ended)
  }

  async function run(delivery: Claimed, target: Due, lane: Lane): Promise<void> {
    const carried = await carry(delivery, target)
    pace(lane, carried)
    await keep(carried)
    lane.underWay.delete(delivery.lease)
    if (lane.underWay.size === 0) busy.delete(lane)
    ended = true
    if (wanting) parts.wake('deliver')
  }

  /** A result that cannot be stored is given up: its lease runs out and the attempt is made again. */
  async function keep(carried: Carried): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await finish(carried)
      } catch (error) {
        const { deliveryId } = carried.delivery
        parts.log.error({ err: error, deliveryId }, 'the result of a webhook attempt could not be stored')
        if (attempt >= FINISH_TRIES) return
        await wait(FINISH_PAUSE_MS)
      }
    }
  }

  async function drain(): Promise<void> {
    const giveUp = setTimeout(() => stop.abort(), DRAIN_MS)
    await Promise.all(running)
    clearTimeout(giveUp)
    await agent.destroy()
  }
}

function pace(lane: Lane, { verdict }: Carried): void {
  if (verdict.outcome === 'interrupted') return
  lane.state = verdict.outcome === 'succeeded' ? 'proven' : 'failing'
  lane.most = lane.state === 'proven' ? Math.min(lane.most + 1, MOST) : LEAST
}

function shareOf({ state, underWay }: Lane, now: number): Share {
  const [oldest] = underWay.values()
  const slow = oldest !== undefined && now - oldest > SLOW_AFTER_MS
  if (slow || state === 'failing') return 'lame'
  return state === 'new' ? 'new' : 'brisk'
}
