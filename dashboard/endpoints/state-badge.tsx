import type { StatusValue } from '../ui/state/status.ts'
import { Status } from '../ui/state/status.tsx'
import type { Delivery } from './deliveries/search.ts'
import type { State } from './endpoint-state.ts'

export const StateBadge = ({ state }: { state: State }) => <Status of="endpoint" value={state} />

type Known = Pick<Delivery, 'status'> & { underWay?: boolean; attempts?: number }

/** `underWay`: an attempt is being made right now, where that is known. */
export const StatusBadge = ({ delivery }: { delivery: Known }) => <Status of="delivery" value={statusOf(delivery)} />

function statusOf({ status, underWay = false, attempts = 0 }: Known): StatusValue<'delivery'> {
  if (underWay) return 'in_progress'
  return status === 'pending' && attempts > 0 ? 'retrying' : status
}
