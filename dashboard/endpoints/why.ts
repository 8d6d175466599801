import type { Answers } from '../api.ts'

type Endpoint = Answers['endpoints']['find']

export type State = 'enabled' | 'failing' | 'paused' | 'disabled'

/** An endpoint that is enabled and fails needs somebody to look at it too. */
export const stateOf = ({ status, failingSince }: Pick<Endpoint, 'status' | 'failingSince'>): State =>
  status === 'enabled' && failingSince !== null ? 'failing' : status

/** The domain disables for two causes, and says which in its reason. */
export const saidGone = ({ statusReason }: Pick<Endpoint, 'statusReason'>): boolean =>
  statusReason?.includes('410') ?? false

type Outcome = { httpStatus: number | null; error: string | null }

/** `HTTP 500`, or why no answer came; undefined when there is nothing to tell. */
export const answerOf = ({ httpStatus, error }: Outcome): string | undefined =>
  httpStatus === null ? (error ?? undefined) : error === null ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}. ${error}`

export const arrived = ({ httpStatus }: Pick<Outcome, 'httpStatus'>): boolean =>
  httpStatus !== null && httpStatus >= 200 && httpStatus < 300
