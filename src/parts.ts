import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Db } from './db.ts'
import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import type { Provider } from './providers/provider.ts'
import type { Seal } from './seal.ts'

/** What the program is made of. Made once (main.ts, or a test), passed on; a function names the parts that it needs. */
export type Parts = {
  config: Config
  db: Db
  clock: Clock
  seal: Seal
  log: Log
  metrics: Metrics
  provider: Provider
  wake: Wake
  live: Live
}

/** The kinds of background work that can be told that something is due. */
export type WorkName = 'submit' | 'reports' | 'deliver' | 'sync'

/** Tells the loop of this process, or if it has none, those of other nodes, that work is due. Never fails, never waits. */
export type Wake = (work: WorkName) => void

/** The pages that people look at while things change. */
export type Live = {
  /**
   * Something of these workspaces changed, and that is committed. Never fails, never waits, costs next to nothing while
   * nobody looks.
   */
  changed(workspaceIds: readonly string[]): void
  /** Until the returned function is called. `onChange` must not fail. */
  follow(workspaceId: string, onChange: () => void): () => void
}
