import { MINUTE_MS, SECOND_MS, later } from '../../lib/clock.ts'

/**
 * Sort key of a customer's message: the provider's second, then arrival, then the id of the stored report.
 */
export type AnswerOrder = string

/** A time further ahead of our clock is wrong, and would outlast every later answer. */
const MAX_PROVIDER_AHEAD_MS = 10 * MINUTE_MS

type StoredMessage = { id: string; occurred_at: Date | null; received_at: Date }

/** The provider cuts its times to the second, so within one second arrival decides. */
export function answerOrder({ id, occurred_at: occurredAt, received_at: receivedAt }: StoredMessage): AnswerOrder {
  const isPlausible = occurredAt !== null && occurredAt <= later(receivedAt, MAX_PROVIDER_AHEAD_MS)
  const second = Math.floor((isPlausible ? occurredAt : receivedAt).getTime() / SECOND_MS)
  return `${new Date(second * SECOND_MS).toISOString()} ${receivedAt.toISOString()} ${id}`
}

export const isOlder = (one: AnswerOrder, other: AnswerOrder | undefined): boolean => other !== undefined && one < other

/**
 * When the customer gave the answers in force. The order of arrival does not count: reports come late, repeated and
 * through several nodes.
 */
export type AnswerTimes<Choice extends string> = {
  /** The tap that gave the answer or opened the follow-up. */
  tap: AnswerOrder
  /** One entry per choice, because a day and a time range may be reported in any order. */
  choices: { readonly [Name in Choice]?: AnswerOrder }
  /** The latest answer, including answers that only repeated the one in force. */
  last: AnswerOrder
  /** The time of the latest answer that changed something. */
  lastAt: Date
  /** The answer that completed the follow-up first. */
  completed?: AnswerOrder
  /** The expiry that completed it instead: a time, which compares with orders. */
  expired?: AnswerOrder
}

/** When the follow-up was completed first. Only for one that is complete. */
export const completion = ({ completed, expired, last }: AnswerTimes<string>): AnswerOrder =>
  expired ?? completed ?? last

export const latest = (one: AnswerOrder, other: AnswerOrder | undefined): AnswerOrder =>
  other !== undefined && one < other ? other : one
