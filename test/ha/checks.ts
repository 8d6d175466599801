import { Client } from 'pg'
import { COUNT_UNKNOWN, faultsOf, unfinished } from '../soak/checks.ts'
import type { Endpoint } from '../soak/endpoint.ts'
import { waitFor } from '../wait-for.ts'
import type { Accepted } from './load.ts'

const SETTLES_WITHIN_MS = 90_000

export type Evidence = {
  databaseUrl: string
  workspaceId: string
  /** What all scenarios so far have accepted. */
  accepted: readonly Accepted[]
  endpoint: Endpoint
  /** How often the provider accepted each message, by our message id. */
  sends: ReadonlyMap<string, number>
}

export type Verdict = { lost: ReadonlySet<string>; doubled: number; sentTwice: SentTwice[]; faults: string[] }

type MessageRow = { id: string; recipient: string; status: string; unknown: number }

/** How many copies the provider got of a message that was sent more than once. */
export type SentTwice = { id: string; copies: number }

/** Compares the accepted codes with the database, the provider and the caller's endpoint, when no work is left. */
export async function check(evidence: Evidence, isSynchronous: boolean): Promise<Verdict> {
  const { databaseUrl, workspaceId, accepted, endpoint, sends } = evidence
  const sql = new Client(databaseUrl)
  sql.on('error', () => {})
  await sql.connect()
  try {
    const unsettled = await settle(sql, isSynchronous)
    const { rows } = await sql.query<MessageRow>(
      `select m.id, m.recipient, m.status, ${COUNT_UNKNOWN} as unknown from messages m where m.workspace_id = $1`,
      [workspaceId],
    )
    const { rows: units } = await sql.query<{ used: string }>(
      `select coalesce(sum(used), 0) as used from quota_usage where workspace_id = $1 and kind = 'otp'`,
      [workspaceId],
    )
    const faults = unsettled
    const stored = new Set(rows.map(({ id }) => id))
    const known = new Set(accepted.map(({ id }) => id))
    const used = Number(units[0]?.used)
    if (used !== rows.length) faults.push(`${rows.length} rows, but ${used} units`)
    const unpromised = rows.filter(({ id }) => !known.has(id)).length
    if (unpromised > 0) faults.push(`${unpromised} rows have an id that no caller received`)
    const sentTwice: SentTwice[] = []
    for (const message of rows) {
      const { id, status } = message
      const copies = sends.get(id) ?? 0
      faults.push(...faultsOf(message, copies))
      if (copies > 1) sentTwice.push({ id, copies })
      if (endpoint.eventsOf(id).length === 0) faults.push(`message ${id} (${status}) caused no webhook`)
    }
    return {
      lost: new Set(accepted.map(({ id }) => id).filter((id) => !stored.has(id))),
      doubled: rows.length - new Set(rows.map(({ recipient }) => recipient)).size,
      sentTwice,
      faults,
    }
  } finally {
    await sql.end()
  }
}

/** Describes the work that is left, if it does not end. The comparison then shows whether something is lost. */
async function settle(sql: Client, isSynchronous: boolean): Promise<string[]> {
  const leftOver = async (): Promise<Record<string, number>> => {
    const left = await unfinished(sql)
    if (!isSynchronous) delete left['reports'] // reports about lost messages are never processed
    return left
  }
  const isDone = async (): Promise<boolean> => Object.values(await leftOver()).every((count) => count === 0)
  if (await waitFor('no work to be left', isDone, SETTLES_WITHIN_MS).catch(() => false)) return []
  const { rows } = await sql.query(
    `select r.outcome, r.attempts, r.note, count(*)::int, count(m.id)::int as known from provider_reports r
     left join messages m on m.id = r.message_id where r.due_at is not null group by 1, 2, 3`,
  )
  return [`work is left: ${JSON.stringify(await leftOver())}, reports: ${JSON.stringify(rows)}`]
}
