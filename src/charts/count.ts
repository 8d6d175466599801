import { HOUR_MS, later, notAfter } from '../lib/clock.ts'
import { type Sql, statement } from '../lib/db/pool.ts'
import { type ListClock, idMargin, idRange } from '../lib/lists/id-range.ts'
import { type Day, startOfDay, addDays, offsetsBetween } from './days.ts'
import type { Group } from './figures.ts'
import { ANSWER_BOUNDS_MS, LATENCY_BOUNDS_MS } from './histogram.ts'

export type Counting = {
  workspaceId: string
  /** In order, without a gap. */
  days: readonly Day[]
  timeZone: string
  clock: ListClock
}

/**
 * The counts of days, read from messages and confirmations. Their names:
 * `message.otp` `message.cod` every outgoing message · `otp.<status>` · `failure.<code>` of messages of either kind ·
 * `undelivered` codes without a delivery in the time that the client gave ·
 * `verification.<stage>` `verification.country.<country>.<stage>` `verification.hour.<hour>.<stage>` verifications that were started,
 * were delivered, and were approved, by the country of the number and by the hour of the day ·
 * `took.sent.<n>` `took.delivered.<n>` `took.read.<n>` codes by how long the step took, n a bucket of LATENCY_BOUNDS_MS ·
 * `confirmation.<status>` by the day on which the customer was asked · `confirmation_reminded`,
 * `confirmation_answered_reminded` and `confirmation_confirmed_reminded` after the reminder · `answer.<n>` by how soon, n a bucket of ANSWER_BOUNDS_MS ·
 * `refusal.<status>` · `reason.<label>` of confirmed refusals, empty for none.
 */
export async function countDays(sql: Sql, counting: Counting): Promise<Group[]> {
  const { days, timeZone } = counting
  const last = days.at(-1)
  if (last === undefined) return []
  const begins = [...days, addDays(last, 1)].map((day) => startOfDay(day, timeZone))
  return countSpans(sql, { ...counting, begins })
}

/** A statement that counted a whole day of a million codes would reach its time limit. */
const MAX_SPAN_MS = HOUR_MS

/** The counts of one day, an hour at a time. */
export async function* countDay(
  sql: Sql,
  { day, ...counting }: Omit<Counting, 'days'> & { day: Day },
): AsyncGenerator<Group[]> {
  const { timeZone } = counting
  const end = startOfDay(addDays(day, 1), timeZone)
  for (let begin = startOfDay(day, timeZone), next = begin; begin < end; begin = next) {
    next = notAfter(end, later(begin, MAX_SPAN_MS))
    yield await countSpans(sql, { ...counting, begins: [begin, next], days: [day] })
  }
}

/** The counts of spans of any length. `begins`: when each of `days` begins, and when the last one ends. */
export async function countSpans(
  sql: Sql,
  { workspaceId, begins, days, timeZone, clock }: Counting & { begins: readonly Date[] },
): Promise<Group[]> {
  const [from, until] = [begins[0], begins.at(-1)]
  if (!from || !until) return []
  const [lastId, firstId] = idRange({ from, until, before: null }, idMargin(clock))
  const offsets = offsetsBetween(from, until, timeZone)
  const [since, seconds] = [offsets.map((each) => each.since), offsets.map((each) => each.seconds)]
  const bounds = [LATENCY_BOUNDS_MS, ANSWER_BOUNDS_MS]
  return sql.rows(selectGroups, [workspaceId, begins, firstId, lastId, days, ...bounds, since, seconds])
}

/** $2: when each day begins, and when the last one ends. $3 and $4: the range of ids of those days. */
const WITHIN_DAYS = (of: string): string =>
  `${of}.created_at >= ($2::timestamptz[])[1] and ${of}.created_at < ($2::timestamptz[])[cardinality($2::timestamptz[])]`
const WITHIN = (of: string): string =>
  `${of}.workspace_id = $1 and ${of}.id >= $3::uuid and ${of}.id < $4::uuid and ${WITHIN_DAYS(of)}`
const BUCKET = (span: string, bounds: string): string =>
  `width_bucket((extract(epoch from ${span}) * 1000)::float8, ${bounds}::float8[])`

/** A status as src/providers/whatsapp/parse.ts stores it: the format is ours, and a body has one status. */
const REPORTED = (status: string): string => `min(r.occurred_at) filter (where r.body like '%"status":"${status}"%')`

const ARRIVED = `('delivered', 'read', 'played')`
/** Of the day, on a clock of the time zone: $9 are its offsets from UTC, since $8. PostgreSQL may know another state of the zone. */
const HOUR = `floor(mod(extract(epoch from m.created_at) + ($9::numeric[])[width_bucket(m.created_at, $8::timestamptz[])], 86400) / 3600)`

/** Of the verification whose first message is `m`. A resend may have delivered it. */
const VERIFICATION_NAMES = `
       select array_agg('verification.' || facet || stage) as names
       from otp_verifications v
       cross join lateral unnest(array['', 'country.' || coalesce(v.country, '') || '.', 'hour.' || ${HOUR} || '.']) as facet
       cross join lateral unnest(array['started',
         case when m.status in ${ARRIVED} or exists (
           select from messages r where r.workspace_id = v.workspace_id and r.verification_id = v.id and r.status in ${ARRIVED})
         then 'delivered' end,
         case when v.status = 'approved' then 'approved' end]) as stage
       where m.kind = 'otp' and v.workspace_id = m.workspace_id and v.id = m.id and stage is not null`

/** A confirmation counts by its first answer, whatever the customer chose later. */
const selectGroups = statement<Group>(
  'count_days',
  `with item (created_at, sender_id, template, language, names) as (
     select m.created_at, m.sender_id, m.template_name, m.template_language, array[
         'message.' || m.kind, case m.kind when 'otp' then 'otp.' || m.status end, 'failure.' || m.failure_code,
         case when m.undelivered_event_at is not null then 'undelivered' end,
         case m.kind when 'otp' then 'took.sent.' || ${BUCKET('m.sent_at - m.created_at', '$6')} end,
         'took.delivered.' || ${BUCKET('reported.delivered - reported.sent', '$6')},
         'took.read.' || ${BUCKET('reported.read - reported.delivered', '$6')}] || coalesce(verification.names, '{}')
     from messages m
     cross join lateral (
       select ${REPORTED('sent')} as sent, ${REPORTED('delivered')} as delivered, ${REPORTED('read')} as read
       from provider_reports r
       where r.message_id = m.id and r.workspace_id = m.workspace_id and m.kind = 'otp' and m.sent_at is not null
         and m.status in ('delivered', 'read', 'played')) reported
     left join lateral (${VERIFICATION_NAMES}) verification on true
     where ${WITHIN('m')}
     union all
     select c.created_at, c.sender_id, c.template_name, c.template_language, array[
         'confirmation.' || c.status, case when reminder.at is not null then 'confirmation_reminded' end,
         'answer.' || ${BUCKET('answer.at - c.created_at', '$7')},
         case when answer.at >= reminder.at then 'confirmation_answered_reminded' end,
         case when answer.at >= reminder.at and c.status = 'confirmed' then 'confirmation_confirmed_reminded' end]
     from confirmations c
     cross join lateral (
       select min(m.created_at) as at from messages m
       where m.workspace_id = c.workspace_id and m.confirmation_id = c.id and m.check_kind = 'confirmation' and m.purpose = 'reminder') reminder
     cross join lateral (
       select min(a.answered_at) as at from cod_answers a
       where a.workspace_id = c.workspace_id and a.confirmation_id = c.id and a.check_kind = 'confirmation') answer
     where ${WITHIN('c')}
     union all
     select f.created_at, c.sender_id, f.template_name, f.template_language,
       array['refusal.' || f.status, case f.status when 'refusal_confirmed' then 'reason.' || coalesce(f.reason, '') end]
     from refusal_checks f
     cross join lateral (
       select c.sender_id from confirmations c where c.workspace_id = f.workspace_id and c.id = f.confirmation_id limit 1) c
     where f.workspace_id = $1 and f.created_at > '-infinity' and ${WITHIN_DAYS('f')}
   ), counted as (
     select ($5::text[])[width_bucket(created_at, $2::timestamptz[])] as day, sender_id, coalesce(template, '') as template,
       coalesce(language, '') as language, names, count(*) as count
     from item group by 1, 2, 3, 4, 5
   ), named as (
     select day, sender_id, template, language, name, sum(count) as count
     from counted cross join lateral unnest(names) as name where name is not null group by 1, 2, 3, 4, 5
   )
   select day, sender_id as "senderId", template, language, jsonb_object_agg(name, count) as counts
   from named group by 1, 2, 3, 4`,
)
