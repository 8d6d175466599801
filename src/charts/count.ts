import { type Sql, statement } from '../db.ts'
import { type ListClock, idsBetween } from '../sandbox/ids-between.ts'
import { type Day, beginOf, dayAfter } from './days.ts'
import type { Group } from './figures.ts'
import { ANSWER_BOUNDS_MS, LATENCY_BOUNDS_MS } from './spread.ts'

export type Counting = {
  workspaceId: string
  /** In order, without a gap. */
  days: readonly Day[]
  timeZone: string
  clock: ListClock
}

/**
 * What the days came to, from the messages and orders themselves. The names of the counts:
 * `message.otp` `message.cod` every outgoing message · `otp.<status>` · `failure.<code>` of messages of either kind ·
 * `took.sent.<n>` `took.delivered.<n>` `took.read.<n>` codes by how long the step took, n a bucket of LATENCY_BOUNDS_MS ·
 * `order.<status>` by the day on which it was asked · `order_answered` at all, `order_reminded`,
 * `order_answered_reminded` after the reminder · `answer.<n>` by how soon, n a bucket of ANSWER_BOUNDS_MS ·
 * `refusal.<status>` · `reason.<label>` of confirmed refusals, empty for none.
 */
export async function countDays(sql: Sql, { workspaceId, days, timeZone, clock }: Counting): Promise<Group[]> {
  const last = days.at(-1)
  if (last === undefined) return []
  const begins = [...days, dayAfter(last, 1)].map((day) => beginOf(day, timeZone))
  const [from, until] = [begins[0], begins.at(-1)]
  if (!from || !until) return []
  const [lastId, firstId] = idsBetween({ from, until, clock, before: null })
  const ids = [firstId, lastId]
  const groups = groupsOf(days)
  for (const row of await sql.rows(countMessages, [workspaceId, begins, ...ids])) {
    groups.add(row, `message.${row.kind}`)
    if (row.kind === 'otp') groups.add(row, `otp.${row.status}`)
    if (row.failureCode !== null) groups.add(row, `failure.${row.failureCode}`)
  }
  for (const row of await sql.rows(countLatencies, [workspaceId, begins, ...ids, LATENCY_BOUNDS_MS])) {
    groups.add(row, `took.${row.step}.${row.bucket}`)
  }
  for (const row of await sql.rows(countOrders, [workspaceId, begins, ...ids, ANSWER_BOUNDS_MS])) {
    groups.add(row, `order.${row.status}`)
    if (row.reminded) groups.add(row, 'order_reminded')
    if (row.bucket === null) continue
    groups.add(row, 'order_answered')
    groups.add(row, `answer.${row.bucket}`)
    if (row.afterReminder) groups.add(row, 'order_answered_reminded')
  }
  for (const row of await sql.rows(countRefusals, [workspaceId, begins])) {
    groups.add(row, `refusal.${row.status}`)
    if (row.status === 'refusal_confirmed') groups.add(row, `reason.${row.reason ?? ''}`)
  }
  return groups.all()
}

type Of = { place: number; senderId: string; template: string; language: string; count: number }

function groupsOf(days: readonly Day[]) {
  const groups = new Map<string, Group & { counts: Record<string, number> }>()
  return {
    add({ place, senderId, template, language, count }: Of, what: string): void {
      const key = `${place} ${senderId} ${language} ${template}`
      const group = groups.get(key) ?? { day: days[place - 1] ?? '', senderId, template, language, counts: {} }
      groups.set(key, group)
      group.counts[what] = (group.counts[what] ?? 0) + count
    },
    all: (): Group[] => [...groups.values()],
  }
}

/** $2: when each day begins, and when the last one ends. A place counts the days from 1. */
const PLACE = (of: string): string => `width_bucket(${of}.created_at, $2::timestamptz[]) as place`
const DAYS = `($2::timestamptz[])[1]`
const END = `($2::timestamptz[])[cardinality($2::timestamptz[])]`
/** $3 and $4: ids between which those of the days lie. */
const WITHIN = (of: string): string =>
  `${of}.workspace_id = $1 and ${of}.id >= $3::uuid and ${of}.id < $4::uuid and ${of}.created_at >= ${DAYS} and ${of}.created_at < ${END}`

const countMessages = statement<Of & { kind: 'otp' | 'cod'; status: string; failureCode: string | null }>(
  'count_messages_of_days',
  `select ${PLACE('m')}, m.sender_id as "senderId", coalesce(m.template_name, '') as template,
     coalesce(m.template_language, '') as language, m.kind, m.status, m.failure_code as "failureCode", count(*) as count
   from messages m where ${WITHIN('m')}
   group by 1, 2, 3, 4, 5, 6, 7`,
)

/** A status as src/providers/whatsapp/parse.ts stores it: the words are ours, and stand in the body once. */
const REPORTED = (status: string): string => `min(r.occurred_at) filter (where r.body like '%"status":"${status}"%')`

const countLatencies = statement<Of & { step: 'sent' | 'delivered' | 'read'; bucket: number }>(
  'count_latencies_of_days',
  `select took.place, took."senderId", took.template, took.language, took.step,
     width_bucket((extract(epoch from took.span) * 1000)::float8, $5::float8[]) as bucket, count(*) as count
   from (
     select ${PLACE('m')}, m.sender_id as "senderId", m.template_name as template, m.template_language as language,
       step.step, step.span
     from messages m
     cross join lateral (
       select ${REPORTED('sent')} as sent, ${REPORTED('delivered')} as delivered, ${REPORTED('read')} as read
       from provider_reports r
       where r.message_id = m.id and r.workspace_id = m.workspace_id and m.status in ('delivered', 'read', 'played')) told
     cross join lateral (
       values ('sent', m.sent_at - m.created_at), ('delivered', told.delivered - told.sent), ('read', told.read - told.delivered)
     ) step (step, span)
     where ${WITHIN('m')} and m.kind = 'otp' and m.sent_at is not null and step.span is not null
   ) took
   group by 1, 2, 3, 4, 5, 6`,
)

type Order = Of & { status: string; reminded: boolean; bucket: number | null; afterReminder: boolean }

/** By the first answer, whatever the customer chose later. */
const countOrders = statement<Order>(
  'count_orders_of_days',
  `select asked.place, asked."senderId", asked.template, asked.language, asked.status, asked.reminded,
     asked.bucket, asked."afterReminder", count(*) as count
   from (
     select ${PLACE('c')}, c.sender_id as "senderId", c.template_name as template, c.template_language as language,
       c.status, reminder.at is not null as reminded,
       width_bucket((extract(epoch from answer.at - c.created_at) * 1000)::float8, $5::float8[]) as bucket,
       coalesce(answer.at >= reminder.at, false) as "afterReminder"
     from confirmations c
     cross join lateral (
       select min(m.created_at) as at from messages m
       where m.workspace_id = c.workspace_id and m.confirmation_id = c.id and m.check_kind = 'confirmation' and m.purpose = 'reminder') reminder
     cross join lateral (
       select min(a.answered_at) as at from cod_answers a
       where a.workspace_id = c.workspace_id and a.confirmation_id = c.id and a.check_kind = 'confirmation') answer
     where ${WITHIN('c')}
   ) asked
   group by 1, 2, 3, 4, 5, 6, 7, 8`,
)

const countRefusals = statement<Of & { status: string; reason: string | null }>(
  'count_refusals_of_days',
  `select ${PLACE('f')}, c.sender_id as "senderId", f.template_name as template, f.template_language as language,
     f.status, f.reason, count(*) as count
   from refusal_checks f
   cross join lateral (
     select c.sender_id from confirmations c where c.workspace_id = f.workspace_id and c.id = f.confirmation_id limit 1) c
   where f.workspace_id = $1 and f.created_at > '-infinity' and f.created_at >= ${DAYS} and f.created_at < ${END}
   group by 1, 2, 3, 4, 5, 6`,
)
