import { type Sql, statement } from '../lib/db/pool.ts'
import type { Check } from '../messages/conversation.ts'
import { TIMERS } from './due.ts'

/** A timer of a confirmation that fires unless the customer answers first. */
type CustomerDue = {
  confirmationId: string
  reference: string
  check: Check
  timer: 'reminder' | 'deadline' | 'expiry'
  /** Real time. */
  at: Date
}

type CustomerConfirmation = {
  confirmationId: string
  reference: string
  status: string
  /** Null without a refusal check. */
  refusalStatus: string | null
}

/** `number`: the phone number ID of the business. */
export type CustomerKey = { workspaceId: string; phone: string; number: string }

/** Only the customer's latest confirmations count. */
const MAX_CONFIRMATIONS = 20

const CONFIRMATIONS = `senders s
   cross join lateral (
     select * from confirmations c where c.sender_id = s.id and c.recipient = $2 order by c.id desc limit ${MAX_CONFIRMATIONS}
   ) c
   left join lateral (
     select f.* from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1
   ) f on true`
const OF_SENDER = 's.workspace_id = $1 and s.phone_number_id = $3'

const selectDue = statement<CustomerDue>(
  'list_due_of_customer',
  `select c.id as "confirmationId", c.reference, timer."check", timer.kind as timer, timer.at
   from ${CONFIRMATIONS} ${TIMERS} where ${OF_SENDER} and timer.at is not null order by timer.at, c.id`,
)

/** Ordered by time. */
export const listDueOfCustomer = (sql: Sql, { workspaceId, phone, number }: CustomerKey): Promise<CustomerDue[]> =>
  sql.rows(selectDue, [workspaceId, phone, number])

const selectConfirmations = statement<CustomerConfirmation>(
  'list_confirmations_of_customer',
  `select c.id as "confirmationId", c.reference, c.status, f.status as "refusalStatus"
   from ${CONFIRMATIONS} where ${OF_SENDER} order by c.id desc`,
)

/** Latest first. */
export const listConfirmationsOfCustomer = (
  sql: Sql,
  { workspaceId, phone, number }: CustomerKey,
): Promise<CustomerConfirmation[]> => sql.rows(selectConfirmations, [workspaceId, phone, number])
