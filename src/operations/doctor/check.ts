import type { Clock } from '../../lib/clock.ts'
import type { Config } from '../../lib/config.ts'
import type { Db } from '../../lib/db/pool.ts'
import type { Provider } from '../../providers/provider.ts'
import type { Seal } from '../../lib/seal.ts'
import type { CheckName, NewFinding } from './finding.ts'

/** What the checks examine. Each check names the members that it needs; members that could not be opened are missing. */
export type Instance = {
  config: Config
  db: Db
  /** The database has a schema that this release can use. */
  schema: true
  /** The database's clock. */
  clock: Clock
  seal: Seal
  provider: Provider
}

export type Need = keyof Instance

export type Check = {
  name: CheckName
  needs: readonly Need[]
  /** It calls systems other than the database, so it runs when a person asks for it, and seldom in the background. */
  isOutside?: true
  find: (instance: Instance) => Promise<NewFinding[]>
}
