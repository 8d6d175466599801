import { type EventParts, withEvents } from '../events/record.ts'
import { SECOND_MS, later } from '../lib/clock.ts'
import {
  findUndelivered,
  postponeUndelivered,
  retakeUndelivered,
  takeUndelivered,
} from '../messages/reports/undelivered.ts'
import { type DueItem, createBatchLoop } from '../runtime/jobs/batch-loop.ts'
import type { Loop } from '../runtime/jobs/loop.ts'
import type { Parts } from '../runtime/parts.ts'
import { recordOtpEvents } from './outcomes.ts'

const MAX_MESSAGES = 200
/** How late the event may be: nothing wakes the loop for it. */
const POLL_MS = SECOND_MS
/** After the last try: the event is not quarantined, because the message itself goes on. */
const AFTER_LAST_TRY_MS = 3_600 * SECOND_MS

/** Records `message.undelivered` for codes whose delivery was not reported in time (docs/otp.md#fallback). */
export function undeliveredLoop(parts: EventParts & Pick<Parts, 'clock' | 'live' | 'log'>): Loop {
  return createBatchLoop<DueItem, void>(withEvents(parts), {
    name: 'undelivered',
    pollMs: POLL_MS,
    maxItems: MAX_MESSAGES,
    take: (tx, now) => takeUndelivered(tx, now, MAX_MESSAGES),
    retake: retakeUndelivered,
    process: async (tx, due, now) => recordOtpEvents(tx, now, await findUndelivered(tx, due, now)),
    storeFault: (db, message, { tries, retryAt }) =>
      postponeUndelivered(db, message, { tries, retryAt: retryAt ?? later(parts.clock.now(), AFTER_LAST_TRY_MS) }),
    countFaults: (outcome, faults) => parts.metrics.stuckWork.inc({ work: 'undelivered', outcome }, faults),
  })
}
