import { type Sql, statement } from '../db.ts'

export type CheckName = 'confirmation' | 'refusal'
export type TimerName = 'reminder' | 'deadline' | 'expiry'

/** Something that happens to a customer's order unless the customer is faster. */
export type CustomerDue = {
  confirmationId: string
  reference: string
  check: CheckName
  timer: TimerName
  /** Real time. */
  at: Date
}

export type CustomerOrder = {
  confirmationId: string
  reference: string
  status: string
  /** Null: nobody has asked whether the parcel was refused. */
  refusalStatus: string | null
}

export type CustomerOf = { workspaceId: string; recipient: string; phoneNumberId: string }

/** The latest orders of one customer; older ones wait for nothing that anybody looks at. */
const ORDERS_MOST = 20

const ORDERS = `senders s
   cross join lateral (
     select * from confirmations c where c.sender_id = s.id and c.recipient = $2 order by c.id desc limit ${ORDERS_MOST}
   ) c
   left join lateral (
     select f.* from refusal_checks f where f.workspace_id = c.workspace_id and f.confirmation_id = c.id limit 1
   ) f on true
   where s.workspace_id = $1 and s.phone_number_id = $3`

const selectDue = statement<CustomerDue>(
  'list_due_of_customer',
  `select o.id as "confirmationId", o.reference, timer."check", timer.timer, timer.at
   from (
     select c.id, c.reference, c.reminder_at, c.deadline_at, c.follow_up_at, f.reminder_at as refusal_reminder_at,
            f.deadline_at as refusal_deadline_at, f.follow_up_at as refusal_follow_up_at
     from ${ORDERS}
   ) o
   cross join lateral (values
     ('confirmation', 'reminder', o.reminder_at), ('confirmation', 'deadline', o.deadline_at),
     ('confirmation', 'expiry', o.follow_up_at), ('refusal', 'reminder', o.refusal_reminder_at),
     ('refusal', 'deadline', o.refusal_deadline_at), ('refusal', 'expiry', o.refusal_follow_up_at)
   ) as timer ("check", timer, at)
   where timer.at is not null
   order by timer.at, o.id`,
)

/** What is due next comes first. */
export const listDueOfCustomer = (
  sql: Sql,
  { workspaceId, recipient, phoneNumberId }: CustomerOf,
): Promise<CustomerDue[]> => sql.rows(selectDue, [workspaceId, recipient, phoneNumberId])

const selectOrders = statement<CustomerOrder>(
  'list_orders_of_customer',
  `select c.id as "confirmationId", c.reference, c.status, f.status as "refusalStatus" from ${ORDERS} order by c.id desc`,
)

/** The latest comes first. */
export const listOrdersOfCustomer = (
  sql: Sql,
  { workspaceId, recipient, phoneNumberId }: CustomerOf,
): Promise<CustomerOrder[]> => sql.rows(selectOrders, [workspaceId, recipient, phoneNumberId])
