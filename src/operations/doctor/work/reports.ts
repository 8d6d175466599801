import { DAY_MS, MINUTE_MS, SECOND_MS, later } from '../../../lib/clock.ts'
import { listAccounts, webhookPathOf } from '../../../accounts/accounts.ts'
import { workspaceStatement } from '../../../lib/db/workspace-batch.ts'
import type { Sql, Statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import type { NewFinding } from '../finding.ts'
import { type ExaminedWorkspace, findInEach, listExamined } from '../setup.ts'

/** WhatsApp reports most messages within seconds. */
const REPORTED_AFTER_MS = 10 * MINUTE_MS
/** Of later ones most are: if any of these is, reports arrive, and those of an outage may still come. */
const MAY_BE_REPORTED_MS = 30 * SECOND_MS
const MIN_SUBMITTED = 5
const MAX_READ = 500
const MAX_LATER_READ = 100

type SubmissionCount = { accountId: string; submitted: number }

const latest = (from: string, to: string, limit: number): string =>
  `(select id, sender_id, status, provider_message_id from messages
      where workspace_id = $1 and id >= ${from} and id < ${to} order by id desc limit ${limit})`

/** Counts the latest messages that WhatsApp accepted within a day, since the last one that it reported on. */
const countUnreported: Statement<SubmissionCount> = workspaceStatement(
  'count_unreported_messages',
  `select "accountId", count(*)::int as submitted
   from (
     select s.account_id as "accountId", m.id,
       count(*) filter (where m.status <> 'sending') over (partition by s.account_id order by m.id desc) as reported
     from (${latest('$2', '$3', MAX_READ)} union all ${latest('$3', '$4', MAX_LATER_READ)}) m
     cross join lateral (select account_id from senders where workspace_id = $1 and id = m.sender_id limit 1) s
     where m.provider_message_id is not null) accepted
   where reported = 0 and id < $3
   group by "accountId"`,
)

/** Accounts of live workspaces whose messages WhatsApp accepts but no longer reports on. */
export async function findMissingReports(sql: Sql, now: Date): Promise<NewFinding[]> {
  const { live } = await listExamined(sql)
  return findInEach(sql, live, (batched, workspace) => findMissingReportsOf(batched, workspace, now))
}

async function findMissingReportsOf(
  sql: Sql,
  { workspaceId, name: workspace }: ExaminedWorkspace,
  now: Date,
): Promise<NewFinding[]> {
  const ids = [DAY_MS, REPORTED_AFTER_MS, MAY_BE_REPORTED_MS].map((agoMs) => firstIdAt(later(now, -agoMs)))
  const silent = (await sql.rows(countUnreported, [workspaceId, ...ids])).filter(
    ({ submitted }) => submitted >= MIN_SUBMITTED,
  )
  if (silent.length === 0) return []
  return (await listAccounts(sql, workspaceId)).flatMap(({ accountId, wabaId }): NewFinding[] => {
    const submitted = silent.find((count) => count.accountId === accountId)?.submitted
    return submitted === undefined
      ? []
      : [{ code: 'reports_missing', workspace, wabaId, number: submitted, path: webhookPathOf(accountId) }]
  })
}
