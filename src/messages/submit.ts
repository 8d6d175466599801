import { later } from '../clock.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { isDatabaseUnavailable } from '../db.ts'
import type { Loop } from '../jobs/loop.ts'
import { OTP_SUBMISSION_WINDOW_MS, otpCodeSeal } from '../otp/accept.ts'
import type { Parts } from '../parts.ts'
import { SUBMISSION_WINDOW_MS } from './put.ts'
import type { OutgoingContent, SendOutcome } from '../providers/provider.ts'
import { SEND_TIMEOUT_MS } from '../providers/whatsapp/send.ts'
import { type Claimed, SUBMIT_LEASE_MS, claimMessages } from './claim.ts'
import { type Next, UNKNOWN_RESENDS_MOST, afterAttempt, failureAtClose } from './decide.ts'
import { type Ended, type Finish, finishing } from './finish.ts'

type SubmitParts = Pick<Parts, 'db' | 'clock' | 'seal' | 'log' | 'metrics' | 'provider' | 'wake' | 'live'>

/** At 300 ms an answer, as many as one sender of the highest throughput needs. */
const IN_FLIGHT_MOST = 500
const CLAIM_MOST = 200
const POLL_MS = 250
/** How often an outcome is tried to be stored again while the database is away. */
const STORE_AGAIN_MS = 500

/** Submits what is due to the provider (contract §7). */
export function submitLoop(parts: SubmitParts): Loop {
  const finish = finishing(parts)
  const underWay = new Set<Promise<void>>()

  const submit = async (message: Claimed): Promise<void> => {
    const ended = await attempt(parts, message)
    await store(finish, ended)
  }
  return {
    name: 'submit',
    pollMs: POLL_MS,
    async turn() {
      const room = Math.min(CLAIM_MOST, IN_FLIGHT_MOST - underWay.size)
      if (room <= 0) {
        await Promise.race(underWay)
        return { more: true }
      }
      const messages = await claimMessages(parts, room)
      for (const message of messages) {
        const work = submit(message)
          // The lease ends by itself: then the message is taken again, as one whose attempt was interrupted.
          .catch((error: unknown) =>
            parts.log.error({ err: error, messageId: message.id }, 'the outcome of an attempt could not be stored'),
          )
          .finally(() => underWay.delete(work))
        underWay.add(work)
      }
      return { more: messages.length > 0 }
    },
    async drain() {
      await Promise.all(underWay)
    },
  }
}

/**
 * What is known must not become unknown because the database is away for a moment: the message would be sent once more.
 * After the lease somebody else may have it.
 */
async function store(finish: Finish, ended: Ended): Promise<void> {
  const endedAt = performance.now()
  for (;;) {
    try {
      return await finish(ended)
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() - endedAt > SUBMIT_LEASE_MS) throw error
      await wait(STORE_AGAIN_MS)
    }
  }
}

/** One claimed message, through at most one request to the provider. */
async function attempt(parts: SubmitParts, message: Claimed): Promise<Ended> {
  const started = parts.clock.now()
  const over = (next: Next, outcome: SendOutcome | null): Ended => ({
    message,
    startedAt: started,
    endedAt: parts.clock.now(),
    outcome,
    next,
  })

  const reason = whyNotSend(message, started)
  if (reason) return over(reason, null)
  // A process that was held up for so long that somebody else may have taken the message must not send it.
  if (parts.clock.now().getTime() - message.claimedAt.getTime() > SUBMIT_LEASE_MS - SEND_TIMEOUT_MS) {
    return over({ next: 'retry', dueAt: started, failureCode: 'PROVIDER_UNAVAILABLE', hold: null }, null)
  }
  if (message.attempts === 1)
    parts.metrics.acceptToAttempt.observe((started.getTime() - acceptedAt(message).getTime()) / 1000)
  const outcome = await parts.provider.send(message.account, {
    kind: message.kind,
    messageId: message.id,
    phoneNumberId: message.phoneNumberId,
    recipient: message.recipient,
    content: message.content ?? otpContent(parts, message),
  })
  parts.metrics.attempts.inc({ outcome: outcome.outcome })
  const context = {
    now: parts.clock.now(),
    attempts: message.attempts,
    holdStep: message.holdStep,
    random: Math.random(),
  }
  return over(afterAttempt(outcome, context), outcome)
}

/** In real time: `createdAt` is in the workspace's, which a sandbox may have moved. */
const acceptedAt = ({ kind, submitBy }: Claimed): Date =>
  later(submitBy, -(kind === 'otp' ? OTP_SUBMISSION_WINDOW_MS : SUBMISSION_WINDOW_MS))

/** Opened as late as possible, and nowhere kept. */
const otpContent = ({ seal }: Pick<Parts, 'seal'>, { id, template, code }: Claimed): OutgoingContent => ({
  type: 'otp',
  template: { name: template.name, language: template.language, components: template.components ?? [] },
  code: code ? seal.open(code, otpCodeSeal(id)) : '',
})

/** The end of a message that needs no further request. */
function whyNotSend(message: Claimed, now: Date): Next | undefined {
  const attemptIsOpen = message.openAttempt !== null
  if (attemptIsOpen && message.unknownOutcomes >= UNKNOWN_RESENDS_MOST) {
    return { next: 'failed', failureCode: 'PROVIDER_UNAVAILABLE' }
  }
  if (now >= message.submitBy) {
    return { next: 'failed', failureCode: failureAtClose({ attemptIsOpen, lastFailureCode: message.lastFailureCode }) }
  }
  if (!message.content && !message.template.components) return { next: 'failed', failureCode: 'TEMPLATE_NOT_FOUND' }
  return undefined
}
