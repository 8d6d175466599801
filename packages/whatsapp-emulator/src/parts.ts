import { Accounts } from './accounts/accounts.ts'
import { Media } from './accounts/media.ts'
import { EMULATOR_LIMITS, META_LIMITS } from './limits.ts'
import { DEFAULT_SCHEDULE, Delivery, type Schedule } from './messages/delivery.ts'
import { Inbox } from './messages/inbox.ts'
import { Messages } from './messages/messages.ts'
import { Pacer } from './messages/pacing.ts'
import { Phones } from './messages/phones.ts'
import { Scripts } from './messages/scripts.ts'
import { ServiceWindows } from './messages/service-windows.ts'
import { type NextIds, NO_STORAGE, firstIds } from './store/saved-map.ts'
import type { Store } from './store/store.ts'
import { Clock, Idle } from './time/clock.ts'
import { Timers } from './time/timers.ts'
import { type Batch, Outbox } from './webhooks/outbox.ts'
import type { WebhookPost } from './wire/chats.ts'

export type Settings = {
  /** Every delay of the emulator is multiplied by this; 0 means no delay. A function is called for each delay. */
  speed?: number | (() => number) | undefined
  retryGapsMs?: readonly number[] | undefined
  /** How many updates share a POST, and how long an update waits for others. Default: 100, and 10 ms. */
  batch?: Partial<Batch> | undefined
  /** `manual` posts only what a script lists or `report` orders. */
  statuses?: 'automatic' | 'manual' | undefined
  schedule?: Partial<Schedule> | undefined
  /** Whether the last four digits of a recipient can choose a preset of a script. */
  magicNumbers?: boolean | undefined
  /** How a text outside the service window is rejected: as Meta does by a `failed` status, or immediately by HTTP. */
  closedWindow?: 'status' | 'http' | undefined
  pairLimit?: boolean | undefined
  throughputLimit?: boolean | undefined
  /** Milliseconds since 1970. Moves time to live, windows, limits and timestamps, but no delays: `moveClock` moves all. */
  now?: (() => number) | undefined
  /**
   * The address of the page where people move the time instead. The emulator's page links to it, and its own clock
   * cannot be moved there.
   */
  timeMachineAt?: (() => string) | undefined
  log?: ((line: string) => void) | undefined
}

export type Parts = ReturnType<typeof createParts>

/** Saved state outside the sections. */
export type Head = {
  savedAt: number
  /** The monotonic clock of that process, by which plans are due. */
  elapsedMs: number
  aheadMs: number
  nextIds: NextIds
  paused: boolean
}

/** Loads the saved state, if there is a store. */
export function createParts(settings: Settings, store?: Store) {
  const storage = store ?? NO_STORAGE
  const head = store?.head as Head | undefined
  const nextIds = head?.nextIds ?? firstIds()
  const savedPosts = new Map(storage.rows('posts') as [string, WebhookPost][])
  const clock = new Clock(settings.now ?? Date.now, head?.aheadMs)
  const now = (): number => clock.now()
  const log = settings.log ?? (() => {})
  const given = settings.speed ?? 1
  const speed = typeof given === 'number' ? () => given : given
  const idle = new Idle()
  const onIdle = (): void => idle.check()
  const onFault = (fault: unknown): void => log(`a timer failed: ${String(fault)}`)
  const timers = new Timers({ clock, storage, speed, onIdle, onFault })
  const accounts = new Accounts(storage, nextIds)
  const messages = new Messages(storage, savedPosts)
  const inbox = new Inbox(storage)
  const phones = new Phones(storage)
  const outbox = new Outbox({
    batch: {
      maxUpdates: Math.min(settings.batch?.maxUpdates ?? 100, META_LIMITS.updatesPerWebhook),
      windowMs: settings.batch?.windowMs ?? 10,
    },
    retrySpeed: given === 0 ? 0.01 : speed(),
    retryGapsMs: settings.retryGapsMs,
    isPaused: head?.paused ?? false,
    now,
    log,
    timers,
    storage,
    nextIds,
    savedPosts,
    onPostCreated: (messageId, place, post) => messages.setPost(messageId, place, post),
    flush: () => store?.flush(),
    onIdle,
  })
  const delivery = new Delivery({
    accounts,
    messages,
    timers,
    outbox,
    phones,
    schedule: { ...DEFAULT_SCHEDULE, ...settings.schedule },
    manual: settings.statuses === 'manual',
    now,
    storage,
  })
  return {
    settings,
    storage,
    nextIds,
    clock,
    now,
    log,
    timers,
    idle,
    outbox,
    phones,
    accounts,
    scripts: new Scripts(settings.magicNumbers ?? true, storage, nextIds, onIdle),
    messages,
    inbox,
    delivery,
    media: new Media(),
    windows: new ServiceWindows(storage),
    pairs: new Pacer(EMULATOR_LIMITS.pairsKept),
    throughput: new Pacer(EMULATOR_LIMITS.numbersPerAccount),
    /** Since the start. */
    counts: {
      requests: 0,
      accepted: 0,
      rejected: 0,
      readReceipts: 0,
      inbound: 0,
      reviewed: 0,
      byCode: {} as Record<number, number>,
    },
  }
}
