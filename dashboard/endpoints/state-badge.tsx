import type { StatusValue } from '../ui/state/status.ts'
import { Status } from '../ui/state/status.tsx'
import type { Delivery } from './deliveries/search.ts'
import type { State } from './endpoint-state.ts'

export const StateBadge = ({ state }: { state: State }) => <Status of="endpoint" value={state} />

type Known = Pick<Delivery, 'status' | 'attempts'> & Partial<Pick<Delivery, 'underWay' | 'nextAttempt'>>

/** `underWay`: whether an attempt is in flight, if known. */
export const StatusBadge = ({ delivery }: { delivery: Known }) => <Status of="delivery" value={statusOf(delivery)} />

/** A resend starts a new schedule: the event is retrying only if an attempt has failed since then. */
function statusOf({ status, underWay = false, attempts, nextAttempt }: Known): StatusValue<'delivery'> {
  if (underWay) return 'in_progress'
  const isRetry = nextAttempt ? nextAttempt.number > 1 : attempts > 0
  return status === 'pending' && isRetry ? 'retrying' : status
}
