import { DAY_MS, MINUTE_MS, later } from '../../../lib/clock.ts'
import { listAccounts, webhookPathOf } from '../../../accounts/accounts.ts'
import { workspaceStatement } from '../../../lib/db/workspace-batch.ts'
import type { Sql, Statement } from '../../../lib/db/pool.ts'
import { firstIdAt } from '../../../lib/ids.ts'
import type { NewFinding } from '../finding.ts'
import { type ExaminedWorkspace, findInEach, listExamined } from '../setup.ts'

/** WhatsApp reports most messages within seconds. */
const REPORTED_AFTER_MS = 10 * MINUTE_MS
const MIN_SUBMITTED = 5
const MAX_READ = 500

type SubmissionCount = { accountId: string; submitted: number; reported: number }

/** Counts the latest messages that WhatsApp accepted within a day, and how many of them it reported on. */
const countReported: Statement<SubmissionCount> = workspaceStatement(
  'count_reported_messages',
  `select s.account_id as "accountId", count(*)::int as submitted, (count(*) filter (where m.status <> 'sending'))::int as reported
   from (select sender_id, status, provider_message_id from messages
         where workspace_id = $1 and id >= $2 and id < $3 order by id desc limit ${MAX_READ}) m
   cross join lateral (select account_id from senders where workspace_id = $1 and id = m.sender_id limit 1) s
   where m.provider_message_id is not null
   group by s.account_id`,
)

/** Accounts of live workspaces whose messages WhatsApp accepts but never reports on. */
export async function findMissingReports(sql: Sql, now: Date): Promise<NewFinding[]> {
  const { examined } = await listExamined(sql)
  const live = examined.filter(({ sandbox }) => !sandbox)
  return findInEach(sql, live, (batched, workspace) => findMissingReportsOf(batched, workspace, now))
}

async function findMissingReportsOf(
  sql: Sql,
  { workspaceId, name: workspace }: ExaminedWorkspace,
  now: Date,
): Promise<NewFinding[]> {
  const idRange = [later(now, -DAY_MS), later(now, -REPORTED_AFTER_MS)].map(firstIdAt)
  const silent = (await sql.rows(countReported, [workspaceId, ...idRange])).filter(
    ({ submitted, reported }) => submitted >= MIN_SUBMITTED && reported === 0,
  )
  if (silent.length === 0) return []
  return (await listAccounts(sql, workspaceId)).flatMap(({ accountId, wabaId }): NewFinding[] => {
    const submitted = silent.find((count) => count.accountId === accountId)?.submitted
    return submitted === undefined
      ? []
      : [{ code: 'reports_missing', workspace, wabaId, number: submitted, path: webhookPathOf(accountId) }]
  })
}
