import type { CodedText, Translator } from '../../locales/text.ts'
import type { RouterOutputs } from '../api.ts'

type Endpoint = RouterOutputs['endpoints']['find']

export type State = 'enabled' | 'failing' | 'paused' | 'disabled'

/** An enabled endpoint that fails needs attention too. */
export const stateOf = ({ status, failingSince }: Pick<Endpoint, 'status' | 'failingSince'>): State =>
  status === 'enabled' && failingSince !== null ? 'failing' : status

/** There are two reasons for disabling; this one is 410 Gone. */
export const isGone = ({ statusReason }: Pick<Endpoint, 'statusReason'>): boolean =>
  statusReason?.code === 'webhooks.endpoint_gone'

/** An attempt that is due waits for its turn: an endpoint that fails or is slow gets few at a time. */
export const isDue = (dueAt: string): boolean => Date.parse(dueAt) <= Date.now()

type Outcome = { httpStatus: number | null; error: CodedText | null }

/** `HTTP 500`, or why there was no response; undefined when there is neither. */
export function answerOf({ httpStatus, error }: Outcome, { textOf }: Pick<Translator, 'textOf'>): string | undefined {
  if (httpStatus === null) return error ? textOf(error) : undefined
  return error ? `HTTP ${httpStatus}. ${textOf(error)}` : `HTTP ${httpStatus}`
}

export const arrived = ({ httpStatus }: Pick<Outcome, 'httpStatus'>): boolean =>
  httpStatus !== null && httpStatus >= 200 && httpStatus < 300

/** Formatted JSON, or the text unchanged when it is not JSON. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
