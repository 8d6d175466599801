import { plainText } from '../../../locales/text.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import type { Parts } from '../../runtime/parts.ts'
import { type Seal, UnsealError, keyOf } from '../../lib/seal.ts'
import { traceIdOf } from '../../lib/tracing.ts'
import { tables } from '../../operations/columns.ts'
import type { Target } from '../../events/record.ts'
import type { ClaimedDelivery } from './claim.ts'
import { type PostResult, type WebhookAgent, Interrupted, post } from './post.ts'
import { type Decision, decide } from './schedule.ts'
import { sign } from './sign.ts'

/** An ended attempt and what follows from it. */
export type AttemptResult = Omit<PostResult, 'hiddenAddress'> & {
  delivery: ClaimedDelivery
  /** Where the attempt was made. */
  url: string
  startedAt: Date
  endedAt: Date
  durationMs: number
  /** Interrupted: the process is stopping, or the URL was changed meanwhile. The same attempt is due again immediately. */
  decision: Decision | { outcome: 'interrupted' }
}

/** Makes one attempt: signs, posts, decides by the answer. Never throws. */
export const createDeliverer =
  (
    { clock, seal, log, metrics, tracer }: Pick<Parts, 'clock' | 'seal' | 'log' | 'metrics' | 'tracer'>,
    agent: WebhookAgent,
    stop: AbortSignal,
  ) =>
  async (delivery: ClaimedDelivery, target: Target, trace?: string): Promise<AttemptResult> => {
    const { eventId, deliveryId, body } = delivery
    const startedAt = clock.now()
    const startedAtMs = performance.now()
    const span = tracer?.start('delivery', {
      kind: 'client',
      parent: trace,
      attributes: {
        'doorcode.event_id': eventId,
        'doorcode.delivery_id': deliveryId,
        'doorcode.attempt': delivery.attempt,
      },
    })
    const logged = span && { trace: traceIdOf(span.traceparent) }
    let interrupted = false
    let answer: PostResult
    try {
      const signed = sign({ id: eventId, at: startedAt, body }, secretsOf(seal, target, startedAt))
      const headers = span ? { ...signed, traceparent: span.traceparent } : signed
      answer = await post(agent, { url: target.url, headers, body }, stop)
    } catch (error) {
      interrupted = error instanceof Interrupted
      if (!interrupted) log.error({ err: error, deliveryId, ...logged }, 'a webhook could not be sent')
      const code = interrupted ? 'stopped' : error instanceof UnsealError ? 'secret_lost' : 'fault'
      answer = { httpStatus: null, retryAfter: null, response: null, error: plainText(`webhooks.${code}`) }
    }
    const { hiddenAddress: address, ...result } = answer
    if (address !== undefined)
      log.warn(
        { endpointId: target.endpointId, deliveryId, address, ...logged },
        'a webhook was not sent, because the address of its endpoint is not public',
      )
    const endedAt = clock.now()
    const decision = interrupted
      ? ({ outcome: 'interrupted' } as const)
      : decide({ ...delivery, answer, endedAt, chance: Math.random() })
    const durationMs = Math.round(performance.now() - startedAtMs)
    metrics.webhookAttempts.observe({ outcome: decision.outcome }, durationMs / SECOND_MS)
    span?.end(
      { 'doorcode.outcome': decision.outcome, 'http.response.status_code': answer.httpStatus },
      { isError: decision.outcome !== 'succeeded' },
    )
    return { ...result, delivery, url: target.url, startedAt, endedAt, durationMs, decision }
  }

/** Those that sign at an instant: the current one, and for a day after a rotation the previous one. */
export function secretsOf(
  seal: Seal,
  { endpointId, secret, previousSecret, previousSecretUntil }: Omit<Target, 'workspaceId' | 'url'>,
  at: Date,
): string[] {
  const context = secretContext(endpointId)
  const current = seal.open(secret, context)
  if (!previousSecret || !previousSecretUntil || previousSecretUntil <= at) return [current]
  // It may be unreadable, which is why the operator replaced it.
  const previous = keyOf(seal.keys, previousSecret, context)?.open(previousSecret, context)
  return previous === undefined ? [current] : [current, previous]
}

/** What an endpoint's secret is sealed to. */
export const secretContext = tables.webhook_endpoints.sealed.secret
