import { Accounts } from './accounts.ts'
import { UNNOTED } from './changes.ts'
import { Clock } from './clock.ts'
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
import type { Memory } from './memory.ts'
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
  /** Milliseconds since 1970. Moves time to live, windows, limits and timestamps, but no delays: `moveClock` moves all. */
  now?: (() => number) | undefined
  /** Where people move the time instead, an address for the twin's page: this twin's own clock then stays. */
  timeMachineAt?: (() => string) | undefined
  log?: ((line: string) => void) | undefined
}

export type SendCounts = {
  requests: number
  accepted: number
  refused: number
  readReceipts: number
  inbound: number
  reviewed: number
  byCode: Record<number, number>
}

/** Everything the twin is made of. Routes and verbs are given this and nothing else. */
export type Parts = ReturnType<typeof makeParts>

/** Without a memory all of it ends with the process. */
export function makeParts(settings: Settings, memory?: Memory) {
  const changes = memory?.changes ?? UNNOTED
  const clock = new Clock(settings.now ?? Date.now)
  const now = (): number => clock.now()
  const log = settings.log ?? (() => {})
  const given = settings.speed ?? 1
  const speed = typeof given === 'number' ? () => given : given
  const waiters = new Set<Waiter>()
  const wakeWaiters = (): void => {
    for (const waiter of waiters) {
      if (!waiter.isOver({ timers, outbox, customers })) continue
      waiters.delete(waiter)
      waiter.wake()
    }
  }
  const messages = new Messages(changes)
  const timers = new Timers({
    clock,
    changes,
    speed,
    onIdle: wakeWaiters,
    onFault: (fault) => log(`a timer failed: ${String(fault)}`),
  })
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
      changes,
      onTold: (messageId) => {
        const message = messages.find(messageId)
        if (message !== undefined) changes.note('messages', messageId, message)
      },
      written: () => memory?.settle(),
    },
    timers,
    wakeWaiters,
  )
  const phones = new Phones(changes)
  const magic = settings.magicNumbers ?? true
  const customers = new Customers(magic, wakeWaiters, changes)
  const inbox = new Inbox(changes)
  const accounts = new Accounts(changes)
  const manual = settings.statuses === 'manual'
  const schedule = { ...USUAL_SCHEDULE, ...settings.schedule }
  const counts: SendCounts = {
    requests: 0,
    accepted: 0,
    refused: 0,
    readReceipts: 0,
    inbound: 0,
    reviewed: 0,
    byCode: {},
  }
  return {
    settings,
    memory,
    changes,
    clock,
    now,
    log,
    timers,
    /** One move of the clock at a time. */
    travel: { isUnderWay: false },
    outbox,
    phones,
    waiters,
    accounts,
    scripts: new Scripts(magic, changes),
    customers,
    messages,
    inbox,
    conversations: new Conversations(messages, inbox),
    live: new Live(),
    windows: new ServiceWindows(changes),
    pairs: new Pacer(TWIN_LIMITS.pairsKept),
    throughput: new Pacer(TWIN_LIMITS.numbersPerAccount),
    managementCalls: new Pacer(TWIN_LIMITS.accounts),
    delivery: new Delivery({ accounts, timers, outbox, phones, schedule, manual, now, changes }),
    counts,
  }
}

/** Nothing is scheduled, waiting to be posted or being posted, and no customer is about to answer. */
export function whenIdle(parts: Parts): Promise<void> {
  return until(parts, ({ timers, outbox, customers }) => {
    return timers.waiting === 0 && outbox.busy === 0 && customers.acting === 0
  })
}

/** What was set going has been answered; much may be scheduled still. */
export function whenSettled(parts: Parts): Promise<void> {
  return until(parts, ({ outbox, customers }) => outbox.underWay().length === 0 && customers.acting === 0)
}

type Busy = { timers: Timers; outbox: Outbox; customers: Customers }
type Waiter = { isOver: (busy: Busy) => boolean; wake: () => void }

function until(parts: Parts, isOver: Waiter['isOver']): Promise<void> {
  if (isOver(parts)) return Promise.resolve()
  return new Promise((wake) => parts.waiters.add({ isOver, wake }))
}
