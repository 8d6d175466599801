import type { Dispatcher } from 'undici'
import type { Parts } from '../parts.ts'
import { SealBroken } from '../seal.ts'
import { keptSentences } from '../sentences.ts'
import type { Claimed, Target } from './claim.ts'
import { type Posted, Interrupted, post } from './post.ts'
import { type Verdict, judge } from './schedule.ts'
import { sign } from './sign.ts'

/** An ended attempt and what follows from it. */
export type Carried = Posted & {
  delivery: Claimed
  startedAt: Date
  endedAt: Date
  durationMs: number
  /** Interrupted: the process stops; the same attempt is due again at once. */
  verdict: Verdict | { outcome: 'interrupted' }
}

export type Courier = (delivery: Claimed, target: Target) => Promise<Carried>

export type CourierParts = Pick<Parts, 'clock' | 'seal' | 'log' | 'metrics'>

/** Makes one attempt: signs, posts, judges. Never throws. */
export function courier(parts: CourierParts, agent: Dispatcher, stop: AbortSignal): Courier {
  const secretsOf = keyring(parts)

  return async (delivery, target) => {
    const startedAt = parts.clock.now()
    const began = performance.now()
    const answer = await attempt(delivery, target, startedAt)
    const endedAt = parts.clock.now()
    const verdict =
      answer === 'interrupted'
        ? ({ outcome: 'interrupted' } as const)
        : judge({ step: delivery.step, answer, endedAt, chance: Math.random() })
    parts.metrics.webhookAttempts.inc({ outcome: verdict.outcome })
    return {
      ...(answer === 'interrupted' ? INTERRUPTED : answer),
      delivery,
      startedAt,
      endedAt,
      durationMs: Math.round(performance.now() - began),
      verdict,
    }
  }

  async function attempt(delivery: Claimed, target: Target, at: Date): Promise<Posted | 'interrupted'> {
    try {
      const headers = sign({ id: delivery.eventId, at, body: delivery.body }, secretsOf(target, at))
      return await post(agent, { url: target.url, headers, body: delivery.body }, stop)
    } catch (error) {
      if (error instanceof Interrupted) return 'interrupted'
      parts.log.error({ err: error, deliveryId: delivery.deliveryId }, 'a webhook could not be sent')
      return { ...INTERRUPTED, error: error instanceof SealBroken ? says.secretLost.en : says.fault.en }
    }
  }
}

const says = keptSentences({
  secretLost: {
    en: 'Not sent: the endpoint’s secret does not open under this DOORCODE_SECRET_KEY.',
    ar: 'لم يُرسل: لا يُفتح سر النقطة بالمفتاح السري الحالي للخادم.',
  },
  fault: { en: 'Not sent, for a fault of Doorcode.', ar: 'لم يُرسل بسبب خلل في Doorcode.' },
  stopped: { en: 'Doorcode was stopped before an answer came.', ar: 'أُوقف Doorcode قبل وصول رد.' },
})

const INTERRUPTED: Posted = {
  httpStatus: null,
  retryAfter: null,
  response: null,
  error: says.stopped.en,
}

/** Opened secrets are kept for so many endpoints. */
const KEPT_MOST = 10_000

/** Opens each secret once: it is kept under its sealed bytes, which a rotation changes. */
function keyring({ seal }: CourierParts): (target: Target, at: Date) => string[] {
  const kept = new Map<string, { sealed: Buffer; secret: string }>()
  const open = (place: string, sealed: Buffer, endpointId: string): string => {
    const found = kept.get(place)
    if (found?.sealed.equals(sealed)) return found.secret
    const secret = seal.open(sealed, secretContext(endpointId))
    if (kept.size >= KEPT_MOST) kept.clear()
    kept.set(place, { sealed, secret })
    return secret
  }
  return ({ endpointId, secret, previousSecret, previousSecretUntil }, at) => {
    const newest = open(endpointId, secret, endpointId)
    if (!previousSecret || !previousSecretUntil || previousSecretUntil <= at) return [newest]
    return [newest, open(`previous ${endpointId}`, previousSecret, endpointId)]
  }
}

/** What an endpoint's secret is sealed to. */
export const secretContext = (endpointId: string): string => `endpoint:${endpointId}`
