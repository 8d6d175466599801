import { setTimeout as wait } from 'node:timers/promises'
import { SECOND_MS, later } from '../../lib/clock.ts'
import { isOutage } from '../../lib/db/fair-batcher.ts'
import { newId } from '../../lib/ids.ts'
import type { RecordedDelivery, Target } from '../../events/record.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import { createClaims } from '../../runtime/jobs/leases.ts'
import type { Parts } from '../../runtime/parts.ts'
import type { DeliveryLoop, HandOver } from '../../runtime/jobs/hand-over.ts'
import { type AttemptResult, createDeliverer } from './attempt.ts'
import {
  type ClaimedDelivery,
  DELIVERY_LEASE_MS,
  type DueEndpoint,
  FIRST_CURSOR,
  claimDeliveries,
  findDueEndpoints,
  giveBackDeliveries,
} from './claim.ts'
import { createConcurrency } from './concurrency.ts'
import { holdBacklog } from '../endpoint-status.ts'
import type { EndpointId } from '../endpoints.ts'
import { createFinisher } from './finish.ts'
import { ATTEMPT_TIMEOUT_MS, webhookAgent } from './post.ts'
import { findEventTraces } from './event-traces.ts'

const POLL_MS = 500
/** The minimum time between two turns, so that each claims a batch. It is also the longest delay for a delivery. */
const MIN_TURN_INTERVAL_MS = 50
/** With very many waiting endpoints, the search takes at most a quarter of the time. */
const SEARCH_SHARE = 4

/**
 * How long attempts in flight may take when the process stops. The others are given back, and another process makes
 * them immediately.
 */
const DRAIN_MS = 5 * SECOND_MS
/** For a fault that may be the result's own. */
const MAX_STORE_TRIES = 3
const STORE_RETRY_MS = 500

/** The values of a delivery that was claimed when it was recorded. */
const FIRST_ATTEMPT = { step: 0, scheduledAt: null, earlyAttempts: 0, attempt: 1 }

type Endpoint = Target & Pick<DueEndpoint, 'failingSince'>
/** A `traceparent`. */
type Trace = Promise<string | undefined> | string | undefined

/** Delivers what is due, each endpoint with its own concurrency: none waits for another. */
export function deliverLoop(parts: Parts): Loop {
  const agent = webhookAgent({ allowPrivate: parts.config.allowPrivateWebhooks })
  const stop = new AbortController()
  const deliver = createDeliverer(parts, agent, stop.signal)
  const concurrency = createConcurrency()
  const running = new Set<Promise<void>>()
  const finish = createFinisher(parts, {
    isNearLimit: concurrency.isNearLimit,
    hold: (endpoint) => track(hold(endpoint)),
  })
  const claims = createClaims(parts, giveBackDeliveries)
  let cursor = FIRST_CURSOR
  let lastTurnAt = Number.NEGATIVE_INFINITY
  let searchMs = 0
  /**
   * One pass over all endpoints: whether a due delivery was left for lack of capacity, and whether capacity was freed
   * since.
   */
  let round = { isShort: false, hasFreed: false }
  let isStopping = false
  let isHolding = false

  const handOver: HandOver<DeliveryLoop<RecordedDelivery>> = parts.recordedDeliveries ?? {}
  handOver.loop = {
    reserve(workspaceIds) {
      if (isStopping) return undefined
      const reserved = concurrency.reserve(workspaceIds)
      if (Object.keys(reserved.capacities).length === 0) return undefined
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      track(ended) // a stop waits for what is still to be given
      return {
        ...reserved,
        lease: newId(),
        nodeId: parts.node.id,
        until: later(parts.clock.now(), DELIVERY_LEASE_MS),
        [Symbol.dispose]() {
          reserved.keepOnly([])
          resolve()
        },
      }
    },
    give(deliveries) {
      const traces = parts.tracer && findEventTraces(parts.db, deliveries)
      for (const delivery of deliveries)
        startRecorded(
          delivery,
          traces?.then((found) => found.get(delivery.eventId)),
        )
    },
    markWaiting: concurrency.markWaiting,
    giveBack,
  }
  return { name: 'deliver', pollMs: POLL_MS, turn, drain }

  async function turn(): Promise<{ more: boolean; idle: boolean }> {
    await spaceTurns()
    if (cursor === FIRST_CURSOR) round = { isShort: false, hasFreed: false }
    await claims.giveBackDoubtful()
    const due = await findNextDue()
    const enabled = due.filter(({ status }) => status === 'enabled')
    const capacities = concurrency.capacities(enabled)
    round.isShort ||= capacities.length < enabled.length
    const claimed =
      capacities.length > 0
        ? await claims.claim((lease) => claimDeliveries(parts.db, capacities, { ...parts, lease }))
        : []
    const traces = parts.tracer && claimed.length > 0 ? await findEventTraces(parts.db, claimed) : undefined
    const claimedOf = Map.groupBy(claimed, ({ endpointId }) => endpointId)
    for (const endpoint of enabled)
      for (const delivery of claimedOf.get(endpoint.endpointId) ?? [])
        start(delivery, endpoint, traces?.get(delivery.eventId))
    const full = capacities.filter(({ endpointId, capacity }) => claimedOf.get(endpointId)?.length === capacity)
    concurrency.markWaiting(full.map(({ endpointId }) => endpointId))
    round.isShort ||= full.length > 0
    if (!isHolding) track(holdDue(due.filter(({ status }) => status !== 'enabled')))
    return { more: cursor !== FIRST_CURSOR || (round.isShort && round.hasFreed), idle: due.length === 0 }
  }

  async function spaceTurns(): Promise<void> {
    const pauseMs = lastTurnAt + Math.max(MIN_TURN_INTERVAL_MS, SEARCH_SHARE * searchMs) - performance.now()
    if (pauseMs > 0) await wait(pauseMs)
    lastTurnAt = performance.now()
  }

  async function findNextDue(): Promise<DueEndpoint[]> {
    const startedAt = performance.now()
    const { due, next } = await findDueEndpoints(parts.db, cursor, parts.clock.now(), parts.searchStarts?.deliveries)
    searchMs = performance.now() - startedAt
    cursor = next ?? FIRST_CURSOR
    return due
  }

  function startRecorded(delivery: RecordedDelivery, trace: Trace): void {
    // The commit took long, and the lease may end during the attempt: another process may make it too.
    if (later(parts.clock.now(), ATTEMPT_TIMEOUT_MS) > delivery.until) return giveBack(delivery.lease)
    start({ ...delivery, ...FIRST_ATTEMPT }, { ...delivery, failingSince: null }, trace)
  }

  function giveBack(lease: string): void {
    claims.giveBackLater(lease)
    parts.wake('deliver')
  }

  function start(delivery: ClaimedDelivery, endpoint: Endpoint, trace: Trace): void {
    track(run(delivery, endpoint, trace))
  }

  function track(work: Promise<void>): void {
    const ended = work.finally(() => running.delete(ended))
    running.add(ended)
  }

  async function run(delivery: ClaimedDelivery, endpoint: Endpoint, trace: Trace): Promise<void> {
    const state = concurrency.start(delivery, endpoint)
    const result = await deliver(delivery, endpoint, await trace)
    concurrency.adjust(state, result)
    await store(result)
    concurrency.end(state, delivery)
    round.hasFreed = true
    if (round.isShort) parts.wake('deliver')
  }

  /**
   * Retries until the lease ends while the database is unavailable, unless the process stops. After the last try the result is lost: its lease
   * runs out and the attempt is made again.
   */
  async function store(result: AttemptResult): Promise<void> {
    const endedAtMs = performance.now()
    let tries = 0
    let isLogged = false
    for (;;) {
      try {
        return await finish(result)
      } catch (error) {
        const outlasts = isOutage(error) && !stop.signal.aborted
        const { deliveryId } = result.delivery
        if (!outlasts) tries += 1
        if (!outlasts || !isLogged)
          parts.log.error({ err: error, deliveryId }, 'the result of a webhook attempt could not be stored')
        isLogged = true
        if (outlasts ? performance.now() - endedAtMs > DELIVERY_LEASE_MS : tries >= MAX_STORE_TRIES) return
        await wait(STORE_RETRY_MS)
      }
    }
  }

  /**
   * These deliveries were recorded or rescheduled while the endpoint was being paused or disabled. No turn waits for this, so that it
   * delays no other endpoint.
   */
  async function holdDue(endpoints: readonly EndpointId[]): Promise<void> {
    isHolding = true
    for (const endpoint of endpoints) if (!stop.signal.aborted) await hold(endpoint)
    isHolding = false
  }

  async function hold(endpoint: EndpointId): Promise<void> {
    try {
      await holdBacklog(parts.db, endpoint, stop.signal)
    } catch (error) {
      const { endpointId } = endpoint
      parts.log.error(
        { err: error, endpointId },
        'the backlog of an endpoint that is not enabled could not be held; each webhook is held when it falls due',
      )
    }
  }

  async function drain(): Promise<void> {
    isStopping = true
    const timer = setTimeout(() => stop.abort(), DRAIN_MS)
    while (running.size > 0) await Promise.all(running)
    clearTimeout(timer)
    agent.destroy()
    await claims.giveBackLast()
  }
}
