import { findPoolerFaults } from '../../db/pooler.ts'
import type { Db } from '../../db/pool.ts'
import type { Found } from '../finding.ts'

/** What a connection pooler between Doorcode and PostgreSQL breaks (docs/poolers.md). */
export async function findPoolerProblems(db: Db): Promise<Found[]> {
  const { sharesSessions, lostSettings } = await findPoolerFaults(db)
  const found: Found[] = []
  if (sharesSessions) found.push({ code: 'pooler_shares_sessions' })
  if (lostSettings.length > 0) found.push({ code: 'session_settings_lost', settings: lostSettings.join(', ') })
  return found
}
