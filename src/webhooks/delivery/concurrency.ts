import { SECOND_MS } from '../../lib/clock.ts'
import type { DeliveryReservation } from '../../runtime/jobs/hand-over.ts'
import type { AttemptResult } from './attempt.ts'
import type { ClaimedDelivery, DueEndpoint, EndpointCapacity } from './claim.ts'

/** Attempts in flight per endpoint: the minimum until it has succeeded and while it fails; one more with each success. */
export const MIN_CONCURRENCY = 2
const MAX_CONCURRENCY = 32

/** An endpoint whose oldest attempt in flight is older than this counts as slow. */
const SLOW_AFTER_MS = 2 * SECOND_MS
/** Attempts in flight per class of endpoints: those that never answer cannot use the capacity of the healthy ones. */
const MAX_IN_FLIGHT = { healthy: 512, new: 512, slow: 512 }
type HealthClass = keyof typeof MAX_IN_FLIGHT
/** New and slow together: an endpoint that turns slow takes its attempts along. Bounds sockets and memory. */
const MAX_UNPROVEN_IN_FLIGHT = 2_048

/** Endpoints that are remembered. */
const MAX_ENDPOINTS = 10_000

/** What this process knows about one endpoint. */
type EndpointState = {
  workspaceId: string
  health: 'new' | 'succeeding' | 'failing'
  limit: number
  lastServedAt: number
  /** When each attempt started, the oldest first. */
  inFlight: Map<ClaimedDelivery, number>
  /** Attempts for deliveries that open transactions are recording. */
  reserved: number
  /** Deliveries may wait for the loop: nothing newer is claimed before them. */
  hasWaiting: boolean
}

type Endpoint = Pick<DueEndpoint, 'workspaceId' | 'endpointId' | 'failingSince'>

/** How many attempts each endpoint may have in flight, by how its attempts end. */
export function createConcurrency() {
  const endpoints = new Map<string, EndpointState>()
  const byWorkspace = new Map<string, Map<string, EndpointState>>()
  const busy = new Set<EndpointState>()

  return { capacities, reserve, markWaiting, start, adjust, end, isNearLimit }

  /**
   * How many attempts may start now, for each endpoint that has capacity. The least recently served come first, so that
   * a full class rotates and a recovering endpoint gets its chance among those that do not.
   */
  function capacities(due: readonly DueEndpoint[]): EndpointCapacity[] {
    const now = performance.now()
    const free = freeByClass(now)
    return due
      .map((endpoint) => ({ ...endpoint, state: stateOf(endpoint) }))
      .sort((a, b) => a.state.lastServedAt - b.state.lastServedAt)
      .flatMap(({ workspaceId, endpointId, dueAt, state }) => {
        const healthClass = classOf(state, now)
        const capacity = Math.min(freeOf(state), free[healthClass])
        state.hasWaiting = capacity <= 0
        if (capacity <= 0) return []
        free[healthClass] -= capacity
        return { workspaceId, endpointId, capacity, dueAt }
      })
  }

  /** For deliveries that are being recorded: only to healthy endpoints with nothing older waiting. `workspaceIds`: the workspace of each event. */
  function reserve(workspaceIds: readonly string[]): Pick<DeliveryReservation, 'capacities' | 'keepOnly'> {
    const now = performance.now()
    const free = freeByClass(now)
    const capacities: Record<string, number> = {}
    for (const [workspaceId, events] of Map.groupBy(workspaceIds, (id) => id))
      for (const [endpointId, state] of byWorkspace.get(workspaceId) ?? []) {
        if (state.hasWaiting || classOf(state, now) !== 'healthy') continue
        const capacity = Math.min(events.length, freeOf(state), free.healthy)
        if (capacity <= 0) continue
        capacities[endpointId] = capacity
        free.healthy -= capacity
        state.reserved += capacity
        busy.add(state)
      }
    let kept: Readonly<Record<string, number>> = capacities
    const keepOnly = (endpointIds: readonly string[]): void => {
      const claimed = Object.fromEntries([...Map.groupBy(endpointIds, (id) => id)].map(([id, all]) => [id, all.length]))
      for (const [endpointId, capacity] of Object.entries(kept)) {
        const state = endpoints.get(endpointId) // not forgotten while it is busy
        if (!state) continue
        state.reserved -= capacity - (claimed[endpointId] ?? 0)
        removeIfIdle(state)
      }
      kept = claimed
    }
    return { capacities, keepOnly }
  }

  function markWaiting(endpointIds: readonly string[]): void {
    for (const id of endpointIds) {
      const state = endpoints.get(id)
      if (state) state.hasWaiting = true
    }
  }

  function freeByClass(now: number): Record<HealthClass, number> {
    const used = { healthy: 0, new: 0, slow: 0 }
    for (const state of busy) used[classOf(state, now)] += state.inFlight.size + state.reserved
    const unproven = MAX_UNPROVEN_IN_FLIGHT - used.new - used.slow
    return {
      healthy: MAX_IN_FLIGHT.healthy - used.healthy,
      new: Math.min(MAX_IN_FLIGHT.new - used.new, unproven),
      slow: Math.min(MAX_IN_FLIGHT.slow - used.slow, unproven),
    }
  }

  function stateOf({ workspaceId, endpointId, failingSince }: Endpoint): EndpointState {
    const known = endpoints.get(endpointId)
    if (known) return known
    if (endpoints.size >= MAX_ENDPOINTS) for (const [id, state] of endpoints) if (!busy.has(state)) forget(id, state)
    const state: EndpointState = {
      workspaceId,
      health: failingSince === null ? 'new' : 'failing',
      limit: MIN_CONCURRENCY,
      lastServedAt: 0,
      inFlight: new Map(),
      reserved: 0,
      hasWaiting: false,
    }
    endpoints.set(endpointId, state)
    byWorkspace.set(workspaceId, (byWorkspace.get(workspaceId) ?? new Map()).set(endpointId, state))
    return state
  }

  function forget(id: string, { workspaceId }: EndpointState): void {
    endpoints.delete(id)
    const others = byWorkspace.get(workspaceId)
    others?.delete(id)
    if (others?.size === 0) byWorkspace.delete(workspaceId)
  }

  function start(delivery: ClaimedDelivery, endpoint: Endpoint): EndpointState {
    const state = stateOf(endpoint)
    state.lastServedAt = performance.now()
    state.inFlight.set(delivery, state.lastServedAt)
    busy.add(state)
    return state
  }

  function adjust(state: EndpointState, { decision }: AttemptResult): void {
    if (decision.outcome === 'interrupted') return
    const succeeded = decision.outcome === 'succeeded'
    state.health = succeeded ? 'succeeding' : 'failing'
    state.limit = succeeded ? Math.min(state.limit + 1, MAX_CONCURRENCY) : MIN_CONCURRENCY
  }

  function end(state: EndpointState, delivery: ClaimedDelivery): void {
    state.inFlight.delete(delivery)
    removeIfIdle(state)
  }

  /** Whether more than half of an endpoint's limit is used. The limits of classes do not count. */
  function isNearLimit(endpointId: string): boolean {
    const state = endpoints.get(endpointId)
    return state !== undefined && freeOf(state) < state.limit / 2
  }

  function removeIfIdle(state: EndpointState): void {
    if (state.inFlight.size + state.reserved === 0) busy.delete(state)
  }
}

const freeOf = ({ limit, inFlight, reserved }: EndpointState): number => limit - inFlight.size - reserved

function classOf({ health, inFlight }: EndpointState, now: number): HealthClass {
  const [oldest] = inFlight.values()
  const isSlow = oldest !== undefined && now - oldest > SLOW_AFTER_MS
  if (isSlow || health === 'failing') return 'slow'
  return health === 'new' ? 'new' : 'healthy'
}
