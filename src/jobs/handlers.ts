import { dailyFiguresLoop } from '../charts/daily.ts'
import { timersLoop } from '../cod/ring.ts'
import { overdueLoop } from '../messages/overdue.ts'
import { reportsLoop } from '../messages/reports.ts'
import { submitLoop } from '../messages/submit.ts'
import type { Parts, WorkName } from '../parts.ts'
import { syncLoop } from '../senders/sync.ts'
import { deliverLoop } from '../webhooks/deliver.ts'
import { housekeepingLoop } from './housekeeping.ts'
import type { Loop } from './loop.ts'

/** All background work. `woken` is the word that rouses it before its next poll. */
export const work = (parts: Parts): readonly { loop: Loop; woken?: WorkName }[] => [
  { loop: submitLoop(parts), woken: 'submit' },
  { loop: overdueLoop(parts) },
  { loop: reportsLoop(parts), woken: 'reports' },
  { loop: timersLoop(parts) },
  { loop: deliverLoop(parts), woken: 'deliver' },
  { loop: syncLoop(parts), woken: 'sync' },
  { loop: dailyFiguresLoop(parts) },
  { loop: housekeepingLoop(parts) },
]
