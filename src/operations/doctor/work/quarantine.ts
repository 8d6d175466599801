import { listQuarantinedTimers, releaseTimers } from '../../../cod/conversation/quarantine.ts'
import type { Sql } from '../../../lib/db/pool.ts'
import type { QuarantinedRow } from '../../../runtime/jobs/retry.ts'
import { listQuarantinedMessages, releaseMessage } from '../../../messages/queue/quarantine.ts'

const MAX_LISTED = 1_000

/** Oldest first, of one workspace or of all. */
export async function listQuarantined(sql: Sql, workspaceId: string | null): Promise<QuarantinedRow[]> {
  const filter = { workspaceId, limit: MAX_LISTED }
  const jobs = [...(await listQuarantinedMessages(sql, filter)), ...(await listQuarantinedTimers(sql, filter))]
  return jobs.sort((a, b) => a.since.getTime() - b.since.getTime()).slice(0, MAX_LISTED)
}

type QuarantinedKind = Pick<QuarantinedRow, 'kind' | 'workspaceId'>

/** Lets the job be tried again. Returns undefined if no job with this id is quarantined. */
export async function releaseQuarantined(tx: Sql, id: string, now: Date): Promise<QuarantinedKind | undefined> {
  const message = await releaseMessage(tx, id, now)
  if (message) return message
  const timer = await releaseTimers(tx, id)
  return timer && { kind: 'timer', ...timer }
}
