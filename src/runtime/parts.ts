import type { Clock } from '../lib/clock.ts'
import type { Config } from '../lib/config.ts'
import type { Db } from '../lib/db/pool.ts'
import type { LiveUpdates } from './jobs/live.ts'
import type { HandOver } from './jobs/hand-over.ts'
import type { DeliveryHandOver } from './jobs/delivery-hand-over.ts'
import type { Wake } from './jobs/wake.ts'
import type { Node } from './jobs/node.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import type { Provider } from '../providers/provider.ts'
import type { Tracer } from '../lib/tracing.ts'
import type { Seal } from '../lib/seal.ts'
import type { Loop } from './jobs/loop.ts'

/** The dependencies of the program, created once. A function picks those it needs. */
export type Parts = {
  config: Config
  db: Db
  clock: Clock
  seal: Seal
  log: Log
  metrics: Metrics
  provider: Provider
  wake: Wake
  live: LiveUpdates
  node: Node
  /** Takes messages that were claimed when they were accepted. Undefined: nothing is claimed then, and the loop finds every message. */
  acceptedMessages?: HandOver<unknown> | undefined
  /** Holds the loop that takes deliveries that were claimed when they were recorded. Undefined: the loop finds every delivery. */
  recordedDeliveries?: DeliveryHandOver<unknown> | undefined
  /** Undefined while tracing is off. */
  tracer?: Tracer | undefined
  loops: (parts: Parts) => readonly Loop[]
}
