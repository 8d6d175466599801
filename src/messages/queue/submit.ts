import { inEnglish } from '../../../locales/resources.ts'
import type { CodedText } from '../../../locales/text.ts'
import { MINUTE_MS, later } from '../../lib/clock.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { isOutage } from '../../lib/db/fair-batcher.ts'
import { isTemporary } from '../../lib/db/pool.ts'
import type { Loop } from '../../runtime/jobs/loop.ts'
import { findTraces } from '../../runtime/jobs/traces.ts'
import type { AcceptedMessages } from './claim-accepted.ts'
import { beginLease, createClaims } from '../../runtime/jobs/leases.ts'
import type { EventParts } from '../../events/record.ts'
import type { Parts } from '../../runtime/parts.ts'
import { OTP_SUBMISSION_WINDOW_MS, SUBMISSION_WINDOW_MS } from '../submission-window.ts'
import { type OutgoingContent, SEND_TIMEOUT_MS, type SendOutcome } from '../../providers/provider.ts'
import { UnsealError } from '../../lib/seal.ts'
import { tables } from '../../operations/columns.ts'
import { type ClaimedMessage, SUBMIT_LEASE_MS, claimMessages, giveBackMessages } from './claim.ts'
import { type Decision, MAX_UNKNOWN_RESENDS, UNKNOWN_WAIT_MS, afterAttempt, failureAtClose } from './decide.ts'
import { type EndedAttempt, type Finish, createFinisher } from './finish.ts'
import type { Subscribers } from '../subscribers.ts'
import { countUnstoredOutcome } from './quarantine.ts'

type SubmitParts = EventParts &
  Pick<Parts, 'clock' | 'seal' | 'log' | 'provider' | 'live' | 'node' | 'tracer' | 'searchStarts'> & {
    acceptedMessages?: AcceptedMessages | undefined
    subscribers: Subscribers
  }

/** Enough for one sender of the highest throughput if each answer takes 300 ms. */
const MAX_IN_FLIGHT = 500
/** Codes that were claimed when they were accepted leave room for what the loop finds, so that no busy workspace takes all of it. */
const MAX_ACCEPTED_IN_FLIGHT = 300
const MAX_CLAIM = 200
const POLL_MS = 250
/** Between tries to store an outcome while the database is unavailable. */
const STORE_RETRY_MS = 500
/** An outcome is kept for longer than a failover takes. A locked row or a bug must not occupy the process for so long. */
const MAX_OUTAGE_MS = 5 * MINUTE_MS

/** Submits what is due to the provider (docs/otp.md#submission-and-expiry). */
export function submitLoop(parts: SubmitParts): Loop {
  parts.metrics.attempts.inc({ outcome: 'not_made' }, 0) // an alert sees no increase in a series that first appears as 1
  const finish = createFinisher(parts)
  const inFlight = new Set<Promise<void>>()
  const claims = createClaims(parts, giveBackMessages)
  let isStopping = false
  let hasEnded = false
  let reserved = 0
  let pausedUntilMs = 0
  /** When a claim last failed because nothing could be stored. */
  let outageAtMs = Number.NEGATIVE_INFINITY
  /** No report could be stored before the first claim if all nodes were down. */
  let hasClaimed = false
  const handOver: AcceptedMessages = parts.acceptedMessages ?? {}
  handOver.loop = {
    nodeId: parts.node.id,
    room: () =>
      hasEnded || performance.now() < pausedUntilMs
        ? 0
        : Math.max(0, MAX_ACCEPTED_IN_FLIGHT - inFlight.size - reserved),
    reserve(messages) {
      reserved += messages
      return { [Symbol.dispose]: () => void (reserved -= messages) }
    },
    give({ message, trace }) {
      if (!hasEnded) return start(message, trace === undefined ? undefined : new Map([[message.id, trace]]))
      // The provider is closed here: another node sends it.
      claims.giveBackLater(message.lease)
      void claims.giveBackLast()
    },
    giveBack(lease) {
      claims.giveBackLater(lease)
      parts.wake('submit')
    },
    pause: (ms) => void (pausedUntilMs = performance.now() + ms),
  }
  return { name: 'submit', pollMs: POLL_MS, turn, drain }

  async function drain(): Promise<void> {
    isStopping = true
    while (inFlight.size > 0) await Promise.all(inFlight)
    hasEnded = true
    await claims.giveBackLast()
  }

  async function turn(): Promise<{ more: boolean; idle?: boolean }> {
    const capacity = Math.min(MAX_CLAIM, MAX_IN_FLIGHT - inFlight.size)
    if (capacity <= 0) {
      await Promise.race(inFlight)
      return { more: true }
    }
    const { messages, isIdle, begun } = await claim(capacity)
    const traces = begun && parts.tracer ? await findTraces(parts.db, messages.flatMap(tracedBy)) : undefined
    if (begun) for (const message of messages) start(message, traces)
    return { more: messages.length > 0, idle: isIdle }
  }

  async function claim(capacity: number) {
    const afterOutage = !hasClaimed || performance.now() - outageAtMs < UNKNOWN_WAIT_MS
    try {
      await claims.giveBackDoubtful()
      return await claims.claim(async (lease) => {
        const claimed = await claimMessages(parts, capacity, { lease, afterOutage })
        hasClaimed = true
        const begun = claimed.messages.length > 0 && (await beginLease(parts.db, lease, parts.clock.now()))
        return { ...claimed, begun }
      })
    } catch (error) {
      if (isOutage(error)) outageAtMs = performance.now()
      throw error
    }
  }

  function start(message: ClaimedMessage, traces?: Traces): void {
    const ended = submit(message, traces).finally(() => inFlight.delete(ended))
    inFlight.add(ended)
  }

  async function submit(message: ClaimedMessage, traces?: Traces): Promise<void> {
    try {
      await storeOutcome(finish, await attempt(parts, message, traces), { isStopping: () => isStopping })
    } catch (error) {
      // When the lease ends, the message is claimed again as one whose attempt was interrupted.
      parts.log.error({ err: error, messageId: message.id }, 'the outcome of an attempt could not be stored')
      await countUnstoredOutcome(parts, message, error)
    }
  }
}

/**
 * Retries while the database is unavailable: a lost outcome would send the message again. After an outage its message waits for a report
 * with the same lease (missedReports). A process that stops does not wait for so long.
 */
export async function storeOutcome(
  finish: Finish,
  ended: EndedAttempt,
  { isStopping = (): boolean => false, nowMs = () => performance.now() } = {},
): Promise<void> {
  const startedAtMs = nowMs()
  let outageEndedAtMs = startedAtMs
  for (;;) {
    try {
      return await finish(ended)
    } catch (error) {
      const outlasts = isOutage(error) && !isStopping()
      if (outlasts) outageEndedAtMs = nowMs()
      const isOver = outlasts ? nowMs() - startedAtMs > MAX_OUTAGE_MS : nowMs() - outageEndedAtMs > SUBMIT_LEASE_MS
      if (!isTemporary(error) || isOver) throw error
      await wait(STORE_RETRY_MS)
    }
  }
}

type Traces = ReadonlyMap<string, string>

/** Ids of which the first with a trace is the one that the message belongs to. */
const tracedBy = ({ id, conversation }: ClaimedMessage): string[] =>
  conversation ? [id, conversation.confirmationId] : [id]

/** Makes at most one request to the provider. */
async function attempt(parts: SubmitParts, message: ClaimedMessage, traces?: Traces): Promise<EndedAttempt> {
  const startedAt = parts.clock.now()
  const toEnded = (next: Decision, outcome: SendOutcome | null): EndedAttempt => ({
    message,
    startedAt,
    endedAt: parts.clock.now(),
    outcome,
    next,
  })

  const finalVerdict = verdictWithoutRequest(message, startedAt)
  if (finalVerdict) return toEnded(finalVerdict, null)
  // The process stalled, and the lease may end during the request: another process may claim and send the message.
  if (parts.clock.now().getTime() - message.claimedAt.getTime() > SUBMIT_LEASE_MS - SEND_TIMEOUT_MS) {
    return toEnded({ next: 'retry', dueAt: startedAt, failureCode: 'PROVIDER_UNAVAILABLE', breaker: null }, null)
  }
  const { content, unreadable } = contentOf(parts, message)
  if (unreadable) {
    parts.log.error({ messageId: message.id }, inEnglish(unreadable))
    parts.metrics.attempts.inc({ outcome: 'not_made' })
    // The attempt before this one may have arrived, which decides the failure that is reported.
    const failureCode = message.followsOpenAttempt ? 'PROVIDER_UNAVAILABLE' : 'UNKNOWN'
    return { ...toEnded({ next: 'failed', failureCode }, null), notMade: unreadable }
  }
  const { id: messageId, kind, phoneNumberId, recipient, attempts, breakerStep } = message
  if (attempts === 1)
    parts.metrics.acceptToAttempt.observe((startedAt.getTime() - acceptedAt(message).getTime()) / 1000)
  const span = parts.tracer?.start('attempt', {
    kind: 'client',
    parent: tracedBy(message).flatMap((id) => traces?.get(id) ?? [])[0],
    attributes: { 'doorcode.message_id': messageId, 'doorcode.attempt': attempts },
  })
  const outgoing = { kind, messageId, phoneNumberId, recipient, content, traceparent: span?.traceparent }
  const outcome = await parts.provider.send(message.account, outgoing)
  span?.end({ 'doorcode.outcome': outcome.outcome }, { isError: outcome.outcome !== 'accepted' })
  parts.metrics.attempts.inc({ outcome: outcome.outcome })
  const context = { now: parts.clock.now(), attempts, breakerStep, random: Math.random() }
  return toEnded(afterAttempt(outcome, context), outcome)
}

/** In real time: `createdAt` is in the workspace's time, which a sandbox may have moved. */
const acceptedAt = ({ kind, submitBy }: ClaimedMessage): Date =>
  later(submitBy, -(kind === 'otp' ? OTP_SUBMISSION_WINDOW_MS : SUBMISSION_WINDOW_MS))

/**
 * Called as late as possible: the opened code is kept nowhere, and `unreadable`, which is stored with the attempt, never
 * contains it. A code that does not open fails its message immediately: the key that sealed it may never come back, and the
 * client's next code is sealed under the current key.
 */
function contentOf({ seal }: Pick<Parts, 'seal'>, message: ClaimedMessage): Content {
  if (message.content) return { content: message.content }
  const { id, code, templateName, templateLanguage, components } = message
  if (!code) return { unreadable: { code: 'messages.code_missing' } }
  const template = { name: templateName ?? '', language: templateLanguage ?? '', components: components ?? [] }
  try {
    return { content: { type: 'otp', template, code: seal.open(code, tables.messages.sealed.code(id)) } }
  } catch (error) {
    if (error instanceof UnsealError) return { unreadable: { code: 'messages.seal_broken' } }
    throw error
  }
}

type Content = { content: OutgoingContent; unreadable?: never } | { content?: never; unreadable: CodedText }

/** Returns undefined if the message must be sent. */
function verdictWithoutRequest(message: ClaimedMessage, now: Date): Decision | undefined {
  const attemptIsOpen = message.followsOpenAttempt
  if (attemptIsOpen && message.unknownOutcomes >= MAX_UNKNOWN_RESENDS) {
    return { next: 'failed', failureCode: 'PROVIDER_UNAVAILABLE' }
  }
  if (now >= message.submitBy) {
    return { next: 'failed', failureCode: failureAtClose({ attemptIsOpen, lastFailureCode: message.lastFailureCode }) }
  }
  if (!message.content && !message.components) return { next: 'failed', failureCode: 'TEMPLATE_NOT_FOUND' }
  return undefined
}
