import { setTimeout as wait } from 'node:timers/promises'
import { openLoop } from './load.ts'
import type { Messages } from './whole-way.ts'

type Way = {
  messages: Pick<Messages, 'begin' | 'latencies'>
  /** When each recipient's message arrived at the provider. */
  arrivedAt: ReadonlyMap<string, number>
}

/** Milliseconds, one of each message. */
export type SteadyTimes = {
  /** From the planned time of the request to the 202, and from the request itself. */
  plannedToAccepted: number[]
  requestToAccepted: number[]
  /** From the 202 to the first bytes at the provider; Infinity for a message that did not arrive. */
  acceptedToWire: number[]
  /** From the request to the webhook. */
  requestToWebhook: number[]
}

/** Sends messages at a steady rate, and waits `settleMs` for the last of their webhooks. */
export async function sendSteadily(
  { messages, arrivedAt }: Way,
  { rate, ms, settleMs }: { rate: number; ms: number; settleMs: number },
): Promise<SteadyTimes> {
  const answers: { recipient: string; plannedAt: number; sentAt: number; at: number }[] = []
  const from = messages.latencies.length
  await openLoop(
    async (plannedAt) => {
      const sentAt = performance.now()
      const { recipient, status } = messages.begin()
      const answered = await status
      answers.push({ recipient, plannedAt, sentAt, at: performance.now() })
      return answered
    },
    { rate, ms, expected: 202 },
  )
  await wait(settleMs)
  return {
    plannedToAccepted: answers.map(({ plannedAt, at }) => at - plannedAt),
    requestToAccepted: answers.map(({ sentAt, at }) => at - sentAt),
    acceptedToWire: answers.map(({ recipient, at }) => (arrivedAt.get(recipient) ?? Number.POSITIVE_INFINITY) - at),
    requestToWebhook: messages.latencies.slice(from),
  }
}
