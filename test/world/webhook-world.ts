import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { backgroundLoops } from '../../src/runtime/background/table.ts'
import { openPooledDb } from '../faults/connections.ts'
import { fileDatabase } from '../database/database.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { INSTANCE_KEY, openTestSeal } from '../database/seal.ts'
import { waitFor } from './wait-for.ts'
import { createMovedClock } from '../faults/moved-clock.ts'
import { readConfig } from '../../src/lib/config.ts'
import { type NewEvent, recordEvents, transactionWithEvents } from '../../src/events/record.ts'
import { newId } from '../../src/lib/ids.ts'
import { type RunningLoop, startLoop } from '../../src/runtime/jobs/loop.ts'
import { createLog } from '../../src/lib/log.ts'
import type { Db } from '../../src/lib/db/pool.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import type { Wake } from '../../src/runtime/jobs/wake.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { createWorkspace } from '../../src/workspaces/workspaces.ts'
import { deliverLoop } from '../../src/webhooks/delivery/deliver.ts'
import { addEndpoint } from './set-up.ts'
import { type DeliveryStatus, claimDeliveries } from '../../src/webhooks/delivery/claim.ts'
import { pauseEndpoint, resumeEndpoint } from '../../src/webhooks/endpoints.ts'
import { type AttemptHistory, findDeliveryDetails, listDeliveries } from '../../src/explain/deliveries.ts'
import { releaseLoop } from '../../src/webhooks/delivery/release.ts'

export type WebhookReceiver = Receiver & { endpointId: string; secret: string }
export type WebhookWorld = Awaited<ReturnType<typeof startWebhookWorld>>

export const idOf = ({ workspaceId }: { workspaceId: string }, { endpointId }: WebhookReceiver) => ({
  workspaceId,
  endpointId,
})

/** For tests of webhooks only: a workspace, its endpoints with real receivers, the loop, and a moved clock. */
export async function startWebhookWorld(t: TestContext, { loops = 1 }: { loops?: number } = {}) {
  const databaseUrl = await fileDatabase()
  const db = await openPooledDb(databaseUrl)
  const clock = createMovedClock()
  const log = createLog('error')
  const running: RunningLoop[] = []
  const receivers: (Receiver & { endpointId?: string })[] = []
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
  const parts = {
    config,
    db,
    clock,
    seal: await openTestSeal(db),
    log,
    metrics: createMetrics(),
    provider: {} as Provider, // webhooks do not use it
    wake: () => running.forEach((loop) => loop.wake()),
    live: { changed: () => {}, follow: () => () => {} },
    loops: backgroundLoops,
    node: { id: newId(), mayDeclareDead: () => false },
    recordedDeliveries: {},
  }
  t.after(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close())) // first: hanging requests end with them
    await Promise.all(running.map((loop) => loop.stop()))
    await db.close()
  })
  const startWorker = (): RunningLoop => {
    const loops = [deliverLoop(parts), releaseLoop(parts)].map((loop) => startLoop(loop, log))
    running.push(...loops)
    return {
      name: 'worker',
      wake: () => loops.forEach((loop) => loop.wake()),
      isFailing: () => loops.some((loop) => loop.isFailing()),
      isStuck: () => loops.some((loop) => loop.isStuck()),
      isBroken: () => loops.some((loop) => loop.isBroken()),
      stop: async () => void (await Promise.all(loops.map((loop) => loop.stop()))),
    }
  }
  for (let each = 0; each < loops; each += 1) startWorker()
  const { workspaceId } = await createWorkspace(parts.db, parts.clock, { name: 'webhooks', sandbox: true })

  const world = {
    workspaceId,
    parts,
    clock,
    db,
    startWorker,

    async receiver(): Promise<WebhookReceiver> {
      const receiver = await startReceiver()
      receivers.push(receiver)
      return Object.assign(receiver, await addEndpoint(parts, { workspaceId, url: receiver.url }))
    },

    /** Records events for all endpoints of the workspace, in a transaction of `recordingDb`; calls `wake` if the loop must find a delivery. Returns their ids. */
    async record(count = 1, recordingDb: Db = db, wake: Wake = parts.wake): Promise<string[]> {
      const now = clock.now()
      const events = Array.from({ length: count }, (_, index): NewEvent => {
        const data = { number: index, occurredAt: now.toISOString() }
        return { id: newId(), workspaceId, type: 'message.sent', data }
      })
      await transactionWithEvents({ ...parts, db: recordingDb, wake }, (tx) => recordEvents(tx, now, events))
      return events.map(({ id }) => id)
    },

    /** Records events, and waits until their first attempts are done. Returns their ids. */
    async deliver(count = 1): Promise<string[]> {
      const ids = await world.record(count)
      await world.settled()
      return ids
    },

    advance(ms: number): void {
      clock.advance(ms)
      parts.wake()
    },

    /** Moves the clock, and waits until what fell due is done. */
    async after(ms: number): Promise<void> {
      world.advance(ms)
      await world.settled()
    },

    pause: (receiver: WebhookReceiver) => pauseEndpoint(db, clock, idOf(world, receiver)),
    resume: (receiver: WebhookReceiver) => resumeEndpoint(db, clock, idOf(world, receiver)),

    /** Where the deliveries of an endpoint go. */
    urlOf: (of: { endpointId: string }) =>
      receivers.find(({ endpointId }) => endpointId === of.endpointId)?.url ?? assert.fail('there is no such receiver'),

    /** Claims deliveries of an endpoint, as another process would. */
    claim: (receiver: WebhookReceiver, capacity = 1) =>
      claimDeliveries(db, [{ ...idOf(world, receiver), capacity, dueAt: new Date(0) }], { ...parts, lease: newId() }),

    /** Nothing is due by the clock, and nothing is in flight. */
    async settled(): Promise<void> {
      await waitFor('the deliveries to be done', async () => {
        parts.wake()
        const row = await db.row<{ busy: number }>(countBusy, [workspaceId, clock.now()])
        return row?.busy === 0
      })
    },

    /** The delivery of an event to an endpoint, with its attempts. */
    async delivery(eventId: string | undefined, { endpointId }: { endpointId: string }): Promise<DeliveryHistory> {
      const found = await db.row<Omit<DeliveryHistory, 'attempts'>>(findDelivery, [workspaceId, eventId, endpointId])
      if (!found) throw new Error('the event has no delivery to this endpoint')
      return { ...found, attempts: await db.rows<AttemptHistory>(listAttempts, [workspaceId, found.deliveryId]) }
    },

    /** A delivery as the endpoint's log shows it. */
    logged: ({ endpointId }: { endpointId: string }, deliveryId: string) =>
      findDeliveryDetails(db, { workspaceId, endpointId, deliveryId }),

    /** Deliveries that wait, as the endpoint's log shows them. */
    async loggedAsWaiting({ endpointId }: { endpointId: string }) {
      return (await listDeliveries(db, { workspaceId, endpointId, status: 'pending' })).rows
    },
  }
  return world
}

type DeliveryHistory = {
  deliveryId: string
  status: DeliveryStatus
  /** The next attempt; while one is in flight, the end of its lease. */
  dueAt: Date | null
  endedAt: Date | null
  /** The oldest first. */
  attempts: AttemptHistory[]
}

/** These are not declared, since they are no statements of the program. */
const findDelivery = {
  name: 'find_delivery_of_event',
  text: `select id as "deliveryId", status, due_at as "dueAt", ended_at as "endedAt" from webhook_deliveries
    where workspace_id = $1 and event_id = $2 and endpoint_id = $3`,
}

const listAttempts = {
  name: 'list_attempts_oldest_first',
  text: `select attempt, started_at as "startedAt", duration_ms as "durationMs", http_status as "httpStatus", error, response
    from webhook_attempts where workspace_id = $1 and delivery_id = $2 order by attempt`,
}

const countBusy = {
  name: 'count_busy_deliveries',
  text: `select count(*) as busy from webhook_deliveries
    where workspace_id = $1 and (due_at <= $2 or lease is not null)`,
}
