import { Accounts } from './accounts.ts'
import { Conversations } from './conversations.ts'
import { Customers } from './customers.ts'
import { Delivery, USUAL_SCHEDULE } from './delivery.ts'
import { Inbox } from './inbox.ts'
import { Live } from './live.ts'
import { META_LIMITS, TWIN_LIMITS } from './limits.ts'
import { Messages } from './messages.ts'
import { Pacer } from './pacing.ts'
import { Phones } from './phones.ts'
import { Scripts } from './scripts.ts'
import { ServiceWindows } from './service-windows.ts'
import { Timers } from './timers.ts'
import { Outbox } from './webhooks.ts'
import type { Schedule } from './delivery.ts'
import type { Batch } from './webhooks.ts'

export type Settings = {
  /** Every delay of the twin is multiplied by this; 0 means at once. Asked anew for each delay. */
  speed?: number | (() => number) | undefined
  /** Gaps between attempts at a webhook are multiplied by this. As `speed`; 0.01 when that is 0. */
  retrySpeed?: number | undefined
  retryGapsMs?: readonly number[] | undefined
  /** How many updates share a POST, and how long one waits for company. 100 and 10 ms. */
  batch?: Partial<Batch> | undefined
  /** `manual` posts only what a script lists or `report` orders. */
  statuses?: 'automatic' | 'manual' | undefined
  schedule?: Partial<Schedule> | undefined
  /** Whether the last four digits of a recipient can ask for a failure or a customer. */
  magicNumbers?: boolean | undefined
  /** How a text outside the service window is refused: as Meta does by a `failed` status, or at once by HTTP. */
  closedWindow?: 'status' | 'http' | undefined
  pairLimit?: boolean | undefined
  throughputLimit?: boolean | undefined
  /** Templates, numbers and account reads; Meta allows 200 or 5,000. Without it they are not counted. */
  managementCallsPerHour?: number | undefined
  /** Milliseconds since 1970. Moves time to live, windows, limits and timestamps, but no delays. */
  now?: (() => number) | undefined
  log?: ((line: string) => void) | undefined
}

export type SendCounts = {
  requests: number
  accepted: number
  refused: number
  readReceipts: number
  inbound: number
  byCode: Record<number, number>
}

/** Everything the twin is made of. Routes and verbs are given this and nothing else. */
export type Parts = ReturnType<typeof makeParts>

export function makeParts(settings: Settings) {
  const now = settings.now ?? Date.now
  const log = settings.log ?? (() => {})
  const given = settings.speed ?? 1
  const speed = typeof given === 'number' ? () => given : given
  const idleWaiters = new Set<() => void>()
  const wakeIdleWaiters = (): void => {
    if (!isIdle({ timers, outbox, customers })) return
    for (const wake of idleWaiters) wake()
    idleWaiters.clear()
  }
  const timers = new Timers(speed, wakeIdleWaiters, (fault) => log(`a timer failed: ${String(fault)}`))
  const outbox = new Outbox(
    {
      batch: {
        maxUpdates: Math.min(settings.batch?.maxUpdates ?? 100, META_LIMITS.updatesPerWebhook),
        windowMs: settings.batch?.windowMs ?? 10,
      },
      retrySpeed: settings.retrySpeed ?? (given === 0 ? 0.01 : speed()),
      retryGapsMs: settings.retryGapsMs,
      now,
      log,
    },
    timers,
    wakeIdleWaiters,
  )
  const phones = new Phones()
  const magic = settings.magicNumbers ?? true
  const customers = new Customers(magic, wakeIdleWaiters)
  const messages = new Messages()
  const inbox = new Inbox()
  const conversations = new Conversations()
  messages.onMessage((message) => conversations.add({ by: 'business', message }))
  inbox.onInbound((record) => conversations.add({ by: 'customer', record }))
  const manual = settings.statuses === 'manual'
  const schedule = { ...USUAL_SCHEDULE, ...settings.schedule }
  const counts: SendCounts = { requests: 0, accepted: 0, refused: 0, readReceipts: 0, inbound: 0, byCode: {} }
  return {
    settings,
    now,
    log,
    timers,
    outbox,
    phones,
    idleWaiters,
    accounts: new Accounts(),
    scripts: new Scripts(magic),
    customers,
    messages,
    inbox,
    conversations,
    live: new Live(),
    windows: new ServiceWindows(),
    pairs: new Pacer(TWIN_LIMITS.pairsKept),
    throughput: new Pacer(TWIN_LIMITS.numbersPerAccount),
    managementCalls: new Pacer(TWIN_LIMITS.accounts),
    delivery: new Delivery({ timers, outbox, phones, schedule, manual, now }),
    counts,
  }
}

/** Nothing is scheduled, waiting to be posted or being posted, and no customer is about to answer. */
export function whenIdle(parts: Parts): Promise<void> {
  if (isIdle(parts)) return Promise.resolve()
  return new Promise((resolve) => parts.idleWaiters.add(resolve))
}

function isIdle({ timers, outbox, customers }: { timers: Timers; outbox: Outbox; customers: Customers }): boolean {
  return timers.waiting === 0 && outbox.busy === 0 && customers.acting === 0
}
