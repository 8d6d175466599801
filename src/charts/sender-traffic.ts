import { type Sql, statement } from '../lib/db/pool.ts'
import { firstIdSince } from '../lib/lists/id-range.ts'

type SenderTraffic = { senderId: string; messages: number; failed: number }

/** The count stops here to keep the page fast. */
const MAX_TRAFFIC_COUNTED = 100_000

const selectTraffic = statement<SenderTraffic>(
  'count_traffic_of_senders',
  `select m.sender_id as "senderId", count(*) as messages, count(*) filter (where m.status = 'failed') as failed
   from (select sender_id, status, created_at from messages where workspace_id = $1 and id >= $2
         order by id desc limit ${MAX_TRAFFIC_COUNTED}) m
   where m.created_at >= $3
   group by m.sender_id`,
)

/**
 * Messages per sender accepted since a time of the workspace's clock. Takes a connection without planner restrictions.
 * `isComplete` is false when the count stopped at its limit: then the figures are lower bounds.
 */
export async function listSenderTraffic(
  figures: Sql,
  workspaceId: string,
  { since, offsetMs }: { since: Date; offsetMs: number },
): Promise<{ senders: SenderTraffic[]; isComplete: boolean }> {
  const senders = await figures.rows(selectTraffic, [workspaceId, firstIdSince(since, offsetMs), since])
  const counted = senders.reduce((sum, { messages }) => sum + messages, 0)
  return { senders, isComplete: counted < MAX_TRAFFIC_COUNTED }
}
