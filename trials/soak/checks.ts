import type { Client } from 'pg'
import type { ConfirmationView } from '../../src/cod/view.ts'
import { waitFor } from '../../test/world/wait-for.ts'
import type { Customers } from './customers.ts'
import type { Endpoint, ReceivedEvent } from './endpoint.ts'
import type { Accepted } from './load.ts'

/** The work that is left. None may be left when the checks begin. */
export async function unfinished(database: Client): Promise<Record<string, number>> {
  const { rows } = await database.query<Record<string, string>>(
    `select (select count(*) from messages where due_at is not null) as messages,
            (select count(*) from provider_reports where due_at is not null) as reports,
            (select count(*) from webhook_deliveries where due_at is not null) as deliveries`,
  )
  return numbersOf(rows[0])
}

export const numbersOf = (row: Record<string, string> = {}): Record<string, number> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, Number(value)]))

/** Waits until no work is left. Returns what is left at the end of the time. */
export async function settle(leftOver: () => Promise<Record<string, number>>, withinMs: number): Promise<string[]> {
  let left: Record<string, number> = {}
  const isDone = async (): Promise<boolean> => {
    left = await leftOver()
    return Object.values(left).every((count) => count === 0)
  }
  return waitFor('no work to be left', isDone, withinMs).then(
    () => [],
    () => [`work is left: ${JSON.stringify(left)}`],
  )
}

export type Evidence = {
  database: Client
  nodeUrl: string
  apiKeys: readonly [string, ...string[]]
  workspaceId: string
  accepted: readonly Accepted[]
  /** The accepted requests whose conversations are checked; default: all. */
  conversations?: readonly Accepted[]
  customers: Customers
  endpoint: Endpoint
  /** How often the provider accepted each message, by our message id. */
  sends: ReadonlyMap<string, number>
  /**
   * How wrong the database's clock may have been: a time that WhatsApp reports is shown as the time of the creation or of the
   * arrival if it seems to be outside them.
   */
  clockErrorSeconds?: number
}

/** `sentTwice`: how many copies the provider got of each message that was sent more than once. */
export type Findings = {
  lost: ReadonlySet<string>
  doubled: number
  sentTwice: ReadonlyMap<string, number>
  summary: Record<string, number>
  faults: string[]
}

/** Compares what was accepted with the database, the provider and the client's endpoint, when no work is left. */
export async function check(evidence: Evidence): Promise<Findings> {
  const { database, workspaceId, accepted, customers } = evidence
  const faults = [...customers.faults]
  const { rows: messages } = await database.query<MessageRow>(
    `select m.id, m.kind, m.purpose, m.recipient, m.status, ${COUNT_UNKNOWN} as unknown
     from messages m where m.workspace_id = $1`,
    [workspaceId],
  )
  const { rows: orders } = await database.query<Row>(
    'select id, recipient from confirmations where workspace_id = $1',
    [workspaceId],
  )
  const codes = messages.filter(({ kind }) => kind === 'otp')
  await checkUnits(evidence, { otp: codes.length, cod_confirmation: orders.length }, faults)
  const stored = new Set([...codes, ...orders].map(({ id }) => id))
  const known = new Set(accepted.map(({ id }) => id))
  const unpromised = [...stored].filter((id) => !known.has(id)).length
  if (unpromised > 0) faults.push(`${unpromised} rows have an id that no client received`)
  const sends = checkSends(evidence, messages, faults)
  const orderEvents = await checkOrders(evidence, faults)
  return {
    lost: new Set([...known].filter((id) => !stored.has(id))),
    doubled: doubledIn(codes) + doubledIn(orders),
    sentTwice: sends.sentTwice,
    summary: {
      orders: orders.length,
      codes: codes.length,
      messages: messages.length,
      sentTwice: sends.sentTwice.size,
      superseded: sends.superseded,
      orderEvents,
    },
    faults,
  }
}

type Row = { id: string; recipient: string }

/** Each request has a phone number of its own. */
const doubledIn = (rows: readonly Row[]): number => rows.length - new Set(rows.map(({ recipient }) => recipient)).size

/** Each row has taken one unit. */
async function checkUnits({ database, workspaceId }: Evidence, counts: Record<string, number>, faults: string[]) {
  const { rows } = await database.query<{ kind: string; used: number }>(
    'select kind, sum(used)::int as used from quota_usage where workspace_id = $1 group by kind',
    [workspaceId],
  )
  for (const [kind, count] of Object.entries(counts)) {
    const used = rows.find((each) => each.kind === kind)?.used ?? 0
    if (used !== count) faults.push(`${count} rows, but ${used} units of ${kind}`)
  }
}

/** `unknown`: how many of its attempts have an unknown outcome. */
type SentMessage = { id: string; status: string; unknown: number }

/** Counts the attempts of the message m that have an unknown outcome. */
const COUNT_UNKNOWN = `(
  select count(*)::int from message_attempts a
  where a.workspace_id = m.workspace_id and a.message_id = m.id and a.outcome = 'unknown')`

/** A message may reach the provider twice if the outcome of the first attempt was unknown. */
const MAX_COPIES = 2

/** `copies`: how often the provider accepted it. */
function faultsOf({ id, status, unknown }: SentMessage, copies: number): string[] {
  const faults: string[] = []
  if (status === 'failed') faults.push('failed')
  if (copies === 0) faults.push('never reached the provider')
  if (copies > MAX_COPIES) faults.push(`was sent ${copies} times`)
  if (copies > 1 + unknown) faults.push(`was sent ${copies} times with ${unknown} unknown outcomes`)
  return faults.map((fault) => `message ${id} (${status}) ${fault}`)
}

type MessageRow = SentMessage & Row & { kind: string; purpose: string | null }

/** A question of a conversation that has moved on is never sent. */
const isSuperseded = ({ kind, status, purpose }: MessageRow, copies: number): boolean =>
  copies === 0 && kind === 'cod' && status === 'queued' && purpose !== 'template'

/**
 * Each message reached its phone, and each code caused a webhook. A second copy needs an unknown outcome as its reason, and there
 * is no third.
 */
function checkSends({ sends, endpoint }: Evidence, messages: readonly MessageRow[], faults: string[]) {
  const sentTwice = new Map<string, number>()
  let superseded = 0
  for (const message of messages) {
    const { id, kind, status } = message
    const copies = sends.get(id) ?? 0
    if (copies > 1) sentTwice.set(id, copies)
    if (isSuperseded(message, copies)) superseded += 1
    else faults.push(...faultsOf(message, copies))
    if (kind === 'otp' && endpoint.eventsOf(id).length === 0) faults.push(`message ${id} (${status}) caused no webhook`)
  }
  return { sentTwice, superseded }
}

const ANSWERS_PER_STATUS: Readonly<Record<string, string | undefined>> = {
  confirmed: 'cod.confirmed',
  cancelled: 'cod.cancelled',
  rescheduled: 'cod.reschedule_requested',
}

/** Each order ends with its customer's last answer, and so does a client that keeps the latest event by occurredAt. */
async function checkOrders(evidence: Evidence, faults: string[]): Promise<number> {
  const { nodeUrl, apiKeys, accepted, conversations = accepted, customers, endpoint, clockErrorSeconds = 0 } = evidence
  let reads = 0
  let eventsSeen = 0
  for (const { kind, id, phone } of conversations) {
    if (kind !== 'order') continue
    const apiKey = apiKeys[(reads += 1) % apiKeys.length] ?? apiKeys[0]
    const view = await readConfirmation(nodeUrl, apiKey, id)
    const customer = customers.all.get(phone)
    if (!customer) continue
    const { plan, answers } = customer
    const last = answers.at(-1)
    const name = `order ${id} (${plan.name})`
    if (view.status !== plan.ends) faults.push(`${name} ended as ${view.status}, not ${plan.ends}`)
    // An answer that was reported before the answers in between is a repetition, which keeps the time
    // (docs/cod.md#late-answers).
    const same = answers.filter(({ what }) => what === last?.what)
    if (last && !same.some(({ at }) => isSameSecond(view.answeredAt, at, clockErrorSeconds)))
      faults.push(`${name} was answered at ${new Date(last.at).toISOString()}, not at ${view.answeredAt}`)
    if (plan.inTheEnd === 'chooses' && (!view.reschedule?.date || !view.reschedule.timeRange))
      faults.push(`${name} lost a choice: ${JSON.stringify(view.reschedule)}`)
    if (plan.inTheEnd === 'types' && !view.reschedule?.note) faults.push(`${name} lost its note`)
    const events = endpoint.eventsOf(id).toSorted((one, other) => (one.occurredAt < other.occurredAt ? -1 : 1))
    eventsSeen += events.length
    checkEvents(name, events, view, faults)
  }
  return eventsSeen
}

function checkEvents(name: string, events: readonly ReceivedEvent[], view: ConfirmationView, faults: string[]): void {
  if (new Set(events.map(({ occurredAt }) => occurredAt)).size !== events.length)
    faults.push(`${name} has two events with the same occurredAt`)
  const expected = ANSWERS_PER_STATUS[view.status]
  const latest = events.at(-1)
  if (latest?.type !== expected) faults.push(`${name}: the latest event is ${latest?.type}, the status ${view.status}`)
}

/** A node measures the database's clock to within half of a round trip, which is long on a busy machine. */
const MAX_CLOCK_ERROR_MS = 100

/** The provider cuts times to the second, and the answer may have left a moment after it was measured. */
function isSameSecond(answeredAt: string | null, expectedAt: number, errorSeconds: number): boolean {
  if (answeredAt === null) return false
  const errorMs = errorSeconds * 1000
  const sinceSecondMs = Date.parse(answeredAt) - Math.floor(expectedAt / 1000) * 1000
  return sinceSecondMs >= -errorMs - MAX_CLOCK_ERROR_MS && sinceSecondMs < 2000 + errorMs
}

async function readConfirmation(nodeUrl: string, apiKey: string, id: string): Promise<ConfirmationView> {
  for (;;) {
    const response = await fetch(`${nodeUrl}/api/v1/cod-confirmations/${id}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    })
    if (response.status === 200) return (await response.json()) as ConfirmationView
    const text = await response.text()
    if (response.status !== 429)
      throw new Error(`GET of the confirmation ${id} was answered ${response.status}: ${text}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
