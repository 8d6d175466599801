import { Client } from 'pg'
import { COUNT_UNKNOWN, type MessageRow, checkOrders, faultsOf, isSuperseded, unfinished } from '../soak/checks.ts'
import type { Customers } from '../soak/customers.ts'
import type { Endpoint } from '../soak/endpoint.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import type { Accepted } from './load.ts'

const SETTLES_WITHIN_MS = 90_000

export type Evidence = {
  databaseUrl: string
  nodeUrl: string
  apiKeys: readonly [string, ...string[]]
  workspaceId: string
  /** What all scenarios so far have accepted. */
  accepted: readonly Accepted[]
  customers: Customers
  endpoint: Endpoint
  /** How often the provider accepted each message, by our message id. */
  sends: ReadonlyMap<string, number>
}

export type Verdict = { lost: ReadonlySet<string>; doubled: number; sentTwice: SentTwice[]; faults: string[] }

/** How many copies the provider got of a message that was sent more than once. */
export type SentTwice = { id: string; copies: number }

type ScenarioOptions = {
  isSynchronous: boolean
  /** How many of `accepted` earlier scenarios have accepted: the conversations of their orders were checked then. */
  checked: number
}

/** Compares what was accepted with the database, the provider and the caller's endpoint, when no work is left. */
export async function check(evidence: Evidence, { isSynchronous, checked }: ScenarioOptions): Promise<Verdict> {
  const { databaseUrl, workspaceId, accepted, customers, endpoint, sends } = evidence
  const sql = new Client(databaseUrl)
  sql.on('error', () => {})
  await sql.connect()
  try {
    const faults = await settle(sql, isSynchronous ? customers : undefined)
    const { rows: messages } = await sql.query<MessageRow & { recipient: string }>(
      `select m.id, m.kind, m.purpose, m.recipient, m.status, ${COUNT_UNKNOWN} as unknown
       from messages m where m.workspace_id = $1`,
      [workspaceId],
    )
    const { rows: orders } = await sql.query<Row>('select id, recipient from confirmations where workspace_id = $1', [
      workspaceId,
    ])
    const { rows: units } = await sql.query<{ kind: string; used: number }>(
      'select kind, sum(used)::int as used from quota_usage where workspace_id = $1 group by kind',
      [workspaceId],
    )
    const codes = messages.filter(({ kind }) => kind === 'otp')
    const stored = [...codes, ...orders]
    const known = new Set(accepted.map(({ id }) => id))
    for (const [kind, rows] of [
      ['otp', codes],
      ['cod_confirmation', orders],
    ] as const) {
      const used = units.find((each) => each.kind === kind)?.used ?? 0
      if (used !== rows.length) faults.push(`${rows.length} rows, but ${used} units of ${kind}`)
    }
    const unpromised = stored.filter(({ id }) => !known.has(id)).length
    if (unpromised > 0) faults.push(`${unpromised} rows have an id that no caller received`)
    const sentTwice: SentTwice[] = []
    for (const message of messages) {
      const { id, kind, status } = message
      const copies = sends.get(id) ?? 0
      if (!isSuperseded(message, copies)) faults.push(...faultsOf(message, copies))
      if (copies > 1) sentTwice.push({ id, copies })
      if (kind === 'otp' && endpoint.eventsOf(id).length === 0)
        faults.push(`message ${id} (${status}) caused no webhook`)
    }
    if (isSynchronous)
      await checkOrders({ ...evidence, accepted: accepted.slice(checked), customers: customers.all }, faults)
    const ids = new Set(stored.map(({ id }) => id))
    return {
      lost: new Set([...known].filter((id) => !ids.has(id))),
      doubled: doubledIn(codes) + doubledIn(orders),
      sentTwice,
      faults: [...faults, ...customers.faults],
    }
  } finally {
    await sql.end()
  }
}

type Row = { id: string; recipient: string }

/** Each request has a phone number of its own. */
const doubledIn = (rows: readonly Row[]): number => rows.length - new Set(rows.map(({ recipient }) => recipient)).size

/**
 * Describes the work that is left, if it does not end. The comparison then shows whether something is lost. Without
 * customers: after a loss, reports about lost messages are never processed and customers wait for lost questions.
 */
async function settle(sql: Client, customers: Customers | undefined): Promise<string[]> {
  const leftOver = async (): Promise<Record<string, number>> => {
    const left = await unfinished(sql)
    if (!customers) delete left['reports']
    const waiting = [...(customers?.all.values() ?? [])].filter(({ waitsFor }) => waitsFor !== 'nothing').length
    return { ...left, waiting }
  }
  const isDone = async (): Promise<boolean> => Object.values(await leftOver()).every((count) => count === 0)
  if (await waitFor('no work to be left', isDone, SETTLES_WITHIN_MS).catch(() => false)) return []
  const { rows } = await sql.query(
    `select r.outcome, r.attempts, r.note, count(*)::int, count(m.id)::int as known from provider_reports r
     left join messages m on m.id = r.message_id where r.due_at is not null group by 1, 2, 3`,
  )
  return [`work is left: ${JSON.stringify(await leftOver())}, reports: ${JSON.stringify(rows)}`]
}
