import path from 'node:path'
import { asWritten } from '../../../locales/text.ts'
import type { Config } from '../../lib/config.ts'
import { openDb } from '../../lib/db/pool.ts'
import type { Instance } from '../../operations/doctor/check.ts'
import { unreachable } from '../../operations/doctor/examine.ts'
import { type Finding, toFinding } from '../../operations/doctor/finding.ts'
import { createWhatsApp } from '../../providers/whatsapp/whatsapp.ts'
import { StartupError } from '../../lib/errors.ts'
import { createDatabaseClock } from './database-clock.ts'
import { hasEmbeddedDatabase } from './embedded-postgres/folders.ts'
import { startEmbeddedPostgres } from './embedded-postgres/server.ts'
import { findSeal } from '../../operations/secrets/open.ts'

/** Checks run a few at a time. */
const POOL_SIZE = 4

type OpenInstance = {
  instance: Partial<Omit<Instance, 'schema'>>
  /** Why some parts could not be opened. */
  known: Finding[]
  close: () => Promise<void>
}

/** Opens what exists, for `doctor`: it creates no database and no key, and migrates nothing. */
export async function openForDoctor(config: Config): Promise<OpenInstance> {
  await using opened = new AsyncDisposableStack()
  const known: Finding[] = []
  const instance: OpenInstance['instance'] = { config }
  instance.provider = opened.adopt(createWhatsApp(), (provider) => provider.close())
  try {
    const url = config.databaseUrl ?? (await findEmbedded(config, opened))
    if (url === undefined) known.push(toFinding('database', { code: 'database_missing', folder: folderOf(config) }))
    else {
      const db = opened.adopt(openDb({ url, poolSize: POOL_SIZE, onIdleError: () => {} }), (db) => db.close())
      instance.clock = opened.adopt(await createDatabaseClock(db), (clock) => clock.stop())
      instance.db = db
      const seal = await findSeal(config, db).catch((error: unknown) => {
        // Another check reports missing tables.
        if (error instanceof StartupError)
          known.push(toFinding('key', { code: 'key_wrong', reason: asWritten(error.message) }))
        return undefined
      })
      if (seal) instance.seal = seal
    }
  } catch (error) {
    known.push(unreachable(error))
  }
  const whenClosed = opened.move()
  return { instance, known, close: () => whenClosed.disposeAsync() }
}

const folderOf = ({ dataDir }: Config): string => path.resolve(dataDir)

/** Returns undefined if there is no embedded database yet. Starts the server if no other process has. */
async function findEmbedded(config: Config, opened: AsyncDisposableStack): Promise<string | undefined> {
  if (!(await hasEmbeddedDatabase(config.dataDir))) return undefined
  const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir })
  opened.defer(() => postgres.stop())
  return postgres.url
}
