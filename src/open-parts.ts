import { connectionName } from './beside-server.ts'
import { type Clock, databaseClock } from './clock.ts'
import type { Config } from './config.ts'
import { openDatabase } from './database.ts'
import { openSeal } from './instance.ts'
import { createWake, type Wakes } from './jobs/wake.ts'
import type { Log } from './log.ts'
import { createMetrics } from './metrics.ts'
import type { Parts } from './parts.ts'
import { whatsapp } from './providers/whatsapp/whatsapp.ts'

export type OpenPartsOptions = {
  patienceMs: number
  signal?: AbortSignal | undefined
  /** What the program takes for its clock, made from the database's. */
  onClock?: ((real: Clock) => Clock) | undefined
}

export type OpenParts = { parts: Parts; wakes: Wakes; close: () => Promise<void> }

/** Long enough for a database that starts together with Doorcode. */
export const SERVER_PATIENCE_MS = 60_000
/** A person waits at the command line. */
export const COMMAND_PATIENCE_MS = 5_000

/** All that the program is made of, down from the database. Throws CannotStart for what the operator can mend. */
export async function openParts(
  config: Config,
  log: Log,
  { onClock = (real) => real, ...waiting }: OpenPartsOptions,
): Promise<OpenParts> {
  await using opened = new AsyncDisposableStack()
  const database = await openDatabase({ config, name: connectionName(config), log, ...waiting })
  opened.defer(database.close)
  const { db } = database
  const seal = await openSeal(config, db)
  const clock = onClock(opened.adopt(await databaseClock(db), (clock) => clock.stop()))
  const provider = opened.adopt(whatsapp(), (provider) => provider.close())
  const wakes = opened.adopt(createWake({ db, roles: config.roles, log }), (wakes) => wakes.stop())
  const parts = { config, db, clock, seal, log, metrics: createMetrics(), provider, wake: wakes.wake, live: wakes.live }
  const whenClosed = opened.move()
  return { parts, wakes, close: () => whenClosed.disposeAsync() }
}
