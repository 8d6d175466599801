import { MINUTE_MS, later } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { WAITING } from './queue/lock-senders.ts'
import { MAX_PAIR_WAIT_MS } from './queue/pace.ts'
import { PARKED_RETRIES_MS } from './reports/process.ts'

/** Makes messages due now if their due times were written while the database's clock was ahead. Leased ones wait for their lease to end. */
export const correctMessageTimes = (sql: Sql, now: Date, limit: number): Promise<unknown[]> =>
  sql.rows(correctMessages, [now, later(now, MAX_PAIR_WAIT_MS + MINUTE_MS), limit])

const correctMessages = statement(
  'correct_message_times',
  `${WAITING}
   update messages set due_at = $1
   where id = any (array (
     select m.id from waiting w
     cross join lateral (
       select id from messages
       where sender_id = w.sender_id and priority = w.priority and due_at > $2 and lease is null
       order by due_at limit $3 for no key update skip locked) m
     limit $3))
   returning id`,
)

/** No report waits longer. */
const MAX_REPORT_WAIT_MS = Math.max(...PARKED_RETRIES_MS)

/** The same for reports. */
export const correctReportTimes = (sql: Sql, now: Date, limit: number): Promise<unknown[]> =>
  sql.rows(correctReports, [now, later(now, MAX_REPORT_WAIT_MS + MINUTE_MS), limit])

const correctReports = statement(
  'correct_report_times',
  `update provider_reports set due_at = $1
   where id = any (array (
     select id from provider_reports where due_at > $2 order by due_at limit $3 for no key update skip locked))
   returning id`,
)
