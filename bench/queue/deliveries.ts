import { newId } from '../../src/lib/ids.ts'
import { FIRST_CURSOR, claimDeliveries, findDueEndpoints } from '../../src/webhooks/delivery/claim.ts'
import { createFinisher } from '../../src/webhooks/delivery/finish.ts'
import { openShops, setupParts } from '../shop.ts'
import { type QueueEngine, type QueueEngineOptions, insertInBulk } from './engine.ts'

const ENDPOINTS = 20
/** Maximum in flight to one endpoint, as in the loop that delivers. */
const CAPACITY = 32

/** Doorcode's claim and finish of webhook deliveries, with nothing posted in between. */
export async function deliveriesEngine({ databaseUrl, graphUrl }: QueueEngineOptions): Promise<QueueEngine> {
  await openShops({ databaseUrl, graphUrl, shops: ENDPOINTS, keysEach: 0 })
  await insertInBulk(databaseUrl, [
    `insert into webhook_endpoints (id, workspace_id, url, secret, status, status_at, created_at)
     select uuidv7(), id, 'http://127.0.0.1:1', '', 'enabled', now(), now() from workspaces`,
  ])
  const parts = await setupParts(databaseUrl)
  const finish = createFinisher(parts)
  const insert = (count: number, dueIn: string): Promise<void> =>
    insertInBulk(
      databaseUrl,
      [
        `with made as (
           select uuidv7() as id, uuidv7() as event_id, e.id as endpoint_id, e.workspace_id
           from generate_series(1, $1::int) n
           join (select *, row_number() over (order by id) as position from webhook_endpoints) e on e.position = n % ${ENDPOINTS} + 1
         ), events as (
           insert into events (id, workspace_id, type, occurred_at, recorded_at, body)
           select event_id, workspace_id, 'message.sent', now(), now(), repeat('x', 400) from made
         )
         insert into webhook_deliveries (id, workspace_id, event_id, endpoint_id, status, due_at, created_at)
         select id, workspace_id, event_id, endpoint_id, 'pending', now() + $2::interval, now() from made`,
      ],
      [count, dueIn],
    )

  /** Returns how many were claimed and finished. */
  const turn = async (): Promise<number> => {
    const { due } = await findDueEndpoints(parts.db, FIRST_CURSOR, parts.clock.now())
    const capacities = due.map(({ workspaceId, endpointId, dueAt }) => ({
      workspaceId,
      endpointId,
      dueAt,
      capacity: CAPACITY,
    }))
    if (capacities.length === 0) return 0
    const claimed = await claimDeliveries(parts.db, capacities, { ...parts, lease: newId() })
    const now = parts.clock.now()
    const urls = new Map(due.map(({ endpointId, url }) => [endpointId, url]))
    const result = {
      startedAt: now,
      endedAt: now,
      durationMs: 0,
      httpStatus: 200,
      retryAfter: null,
      response: null,
      error: null,
    }
    await Promise.all(
      claimed.map((delivery) => {
        const url = urls.get(delivery.endpointId) ?? ''
        return finish({ ...result, delivery, url, decision: { outcome: 'succeeded' } })
      }),
    )
    return claimed.length
  }
  return {
    name: 'Doorcode deliveries',
    put: (count) => insert(count, '0'),
    putFuture: (count) => insert(count, '1 day'),
    async drain(count) {
      const began = performance.now()
      for (let done = 0; done < count; ) done += await turn()
      return performance.now() - began
    },
    close: () => parts.close(),
  }
}
