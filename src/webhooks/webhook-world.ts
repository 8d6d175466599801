import type { TestContext } from 'node:test'
import { fileDatabase } from '../../test/database.ts'
import { type Receiver, startReceiver } from '../../test/receiver.ts'
import { until } from '../../test/until.ts'
import { movedClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { openDb } from '../db.ts'
import { type NewEvent, recordEvents } from '../events/record.ts'
import { newId } from '../ids.ts'
import { type RunningLoop, startLoop } from '../jobs/loop.ts'
import { createLog } from '../log.ts'
import { createMetrics } from '../metrics.ts'
import type { Provider } from '../providers/provider.ts'
import { sealWith } from '../seal.ts'
import { createWorkspace } from '../workspaces/workspaces.ts'
import { deliverLoop } from './deliver.ts'
import { addEndpoint } from './endpoints.ts'
import { type DeliveryHistory, listEventHistory } from './history.ts'

export type WebhookReceiver = Receiver & { endpointId: string; secret: string }
export type WebhookWorld = Awaited<ReturnType<typeof startWebhookWorld>>

const INSTANCE_KEY = Buffer.alloc(32, 7)

/** For tests of webhooks alone: a workspace, its endpoints with real receivers, the loop, and a clock that is moved. */
export async function startWebhookWorld(t: TestContext, { loops = 1 }: { loops?: number } = {}) {
  const databaseUrl = await fileDatabase()
  const db = openDb({ url: databaseUrl, poolSize: 6 })
  const clock = movedClock()
  const log = createLog('error')
  const running: RunningLoop[] = []
  const receivers: Receiver[] = []
  const config = readConfig({
    DATABASE_URL: databaseUrl,
    DOORCODE_SECRET_KEY: INSTANCE_KEY.toString('base64'),
    DOORCODE_ALLOW_PRIVATE_WEBHOOKS: '1',
  })
  const parts = {
    config,
    db,
    clock,
    seal: sealWith(INSTANCE_KEY),
    log,
    metrics: createMetrics(),
    provider: {} as Provider, // webhooks know nothing of it
    wake: () => running.forEach((loop) => loop.wake()),
    live: { changed: () => {}, follow: () => () => {} },
  }
  t.after(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close())) // first: hanging requests end with them
    await Promise.all(running.map((loop) => loop.stop()))
    await db.close()
  })
  const startWorker = (): RunningLoop => {
    const loop = startLoop(deliverLoop(parts), log)
    running.push(loop)
    return loop
  }
  for (let each = 0; each < loops; each += 1) startWorker()
  const { workspaceId } = await createWorkspace(parts, { name: 'webhooks', sandbox: true })

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

    /** Records events for all endpoints of the workspace. Returns their ids. */
    async record(count = 1): Promise<string[]> {
      const now = clock.now()
      const events = Array.from({ length: count }, (_, index): NewEvent => {
        const data = { number: index, occurredAt: now.toISOString() }
        return { id: newId(), workspaceId, type: 'message.sent', data }
      })
      await db.transaction((tx) => recordEvents(tx, now, events))
      parts.wake()
      return events.map(({ id }) => id)
    },

    advance(ms: number): void {
      clock.advance(ms)
      parts.wake()
    },

    /** Nothing is due by the clock and nothing is under way. */
    async settled(): Promise<void> {
      await until('the deliveries to be done', async () => {
        parts.wake()
        const row = await db.row<{ busy: number }>(countBusy, [workspaceId, clock.now()])
        return row?.busy === 0
      })
    },

    /** The delivery of an event to an endpoint, with its attempts. */
    async delivery(eventId: string | undefined, { endpointId }: { endpointId: string }): Promise<DeliveryHistory> {
      const [event] = await listEventHistory(db, workspaceId, { eventId: eventId ?? '' })
      const found = event?.deliveries.find((delivery) => delivery.endpointId === endpointId)
      if (!found) throw new Error('the event has no delivery to this endpoint')
      return found
    },
  }
  return world
}

/** Not declared: it is no statement of the program. */
const countBusy = {
  name: 'count_busy_deliveries',
  text: `select count(*) as busy from webhook_deliveries
    where workspace_id = $1 and (due_at <= $2 or lease is not null)`,
}
