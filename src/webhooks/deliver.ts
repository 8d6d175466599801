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

/** Attempts under way per endpoint: at first, at the most, and while it fails. One more with each success. */
const AT_FIRST = 8
const AT_MOST = 32
const FAILING = 2

/** An endpoint with an attempt under way for so long counts as slow. */
const SLOW_AFTER_MS = 2 * SECOND_MS
/** Attempts under way to all endpoints that are neither slow nor failing. */
const BRISK_MOST = 512
/** To all others: they fill this share and never the one above. */
const LAME_MOST = 512
/** To all together: brisk ones that turn lame take their attempts with them. Bounds sockets and memory. */
const ALL_MOST = 2_048

/** So many endpoints' pace is remembered. */
const LANES_MOST = 10_000

/** On stop, attempts under way get so long; then they are given back, to be made again at once by whoever is there. */
const DRAIN_MS = 5 * SECOND_MS
const FINISH_TRIES = 3
const FINISH_PAUSE_MS = 500

/** What this process knows of an endpoint's pace. */
type Lane = { most: number; failing: boolean; underWay: Map<string, number> }

type Shares = { brisk: number; lame: number }

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
  /** Something due was left for want of room: the next attempt to end makes some. */
  let wanting = false

  return { name: 'deliver', pollMs: POLL_MS, turn, drain }

  async function turn(): Promise<{ more: boolean }> {
    await space()
    wanting = false
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
    // An event that was recorded while its endpoint was being paused.
    for (const { workspaceId, endpointId } of due.filter(({ status }) => status !== 'enabled'))
      await hold(parts.db, workspaceId, endpointId)
    return { more: next !== undefined }
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
    for (const { workspaceId, endpointId } of due) {
      const lane = laneOf(endpointId)
      const share = isLame(lane, now) ? 'lame' : 'brisk'
      const room = Math.min(lane.most - lane.underWay.size, left[share])
      if (room > 0) rooms.push({ workspaceId, endpointId, room })
      else wanting = true
      left[share] -= Math.max(room, 0)
    }
    return rooms
  }

  function sharesLeft(now: number): Shares {
    const taken: Shares = { brisk: 0, lame: 0 }
    for (const lane of busy) taken[isLame(lane, now) ? 'lame' : 'brisk'] += lane.underWay.size
    const all = ALL_MOST - taken.brisk - taken.lame
    return { brisk: Math.min(BRISK_MOST - taken.brisk, all), lame: Math.min(LAME_MOST - taken.lame, all) }
  }

  function laneOf(endpointId: string): Lane {
    const known = lanes.get(endpointId)
    if (known) return known
    if (lanes.size >= LANES_MOST) for (const [id, lane] of lanes) if (lane.underWay.size === 0) lanes.delete(id)
    const lane: Lane = { most: AT_FIRST, failing: false, underWay: new Map() }
    lanes.set(endpointId, lane)
    return lane
  }

  function start(delivery: Claimed, target: Due): void {
    const lane = laneOf(delivery.endpointId)
    lane.underWay.set(delivery.lease, performance.now())
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
  lane.failing = verdict.outcome !== 'succeeded'
  lane.most = lane.failing ? FAILING : Math.min(lane.most + 1, AT_MOST)
}

/** Attempts are kept in the order of their start: the first is the oldest. */
function isLame({ failing, underWay }: Lane, now: number): boolean {
  const [oldest] = underWay.values()
  return failing || (oldest !== undefined && now - oldest > SLOW_AFTER_MS)
}
