import type { FairShare } from '../lib/db/fair-share.ts'
import type { Clock } from '../lib/clock.ts'
import type { Config } from '../lib/config.ts'
import type { Db } from '../lib/db/pool.ts'
import type { LiveUpdates } from './jobs/live.ts'
import type { DeliveryLoop, HandOver, MessageLoop } from './jobs/hand-over.ts'
import type { SearchStarts } from './jobs/search-start.ts'
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
  /** Undefined: no message is claimed when it is accepted, and the loop finds every message. */
  acceptedMessages?: HandOver<MessageLoop<unknown>> | undefined
  /** Undefined: no delivery is claimed when it is recorded, and the loop finds every delivery. */
  recordedDeliveries?: HandOver<DeliveryLoop<unknown>> | undefined
  /** Undefined: no request waits for its turn. */
  fairShare?: FairShare | undefined
  /** Where loops begin to search. The look changes it. Undefined: always at the beginning. */
  searchStarts?: SearchStarts | undefined
  /** Undefined while tracing is off. */
  tracer?: Tracer | undefined
  loops: (parts: Parts) => readonly Loop[]
}
