import { findPoolerProblems } from '../../../lib/db/pooler.ts'
import type { Db } from '../../../lib/db/pool.ts'
import type { NewFinding } from '../finding.ts'

/** What a connection pooler between Doorcode and PostgreSQL breaks (docs/pgbouncer.md). */
export async function findPoolerFindings(db: Db): Promise<NewFinding[]> {
  const { sharesSessions, reusesSessions, lostSettings } = await findPoolerProblems(db)
  const found: NewFinding[] = []
  if (sharesSessions) found.push({ code: 'pooler_shares_sessions' })
  if (reusesSessions) found.push({ code: 'pooler_reuses_sessions' })
  if (lostSettings.length > 0) found.push({ code: 'session_settings_lost', settings: lostSettings.join(', ') })
  return found
}
