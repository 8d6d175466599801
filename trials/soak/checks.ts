import type { Client } from 'pg'
import type { ConfirmationView } from '../../src/cod/view.ts'
import type { Customer } from './customers.ts'
import type { Endpoint, ReceivedEvent } from './endpoint.ts'
import type { Accepted } from './load.ts'

/** The work that is left. None may be left when the checks begin. */
export async function unfinished(database: Client): Promise<Record<string, number>> {
  const { rows } = await database.query<Record<string, string>>(
    `select (select count(*) from messages where due_at is not null) as messages,
            (select count(*) from provider_reports where due_at is not null) as reports,
            (select count(*) from webhook_deliveries where due_at is not null) as deliveries`,
  )
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value)]))
}

export type Evidence = {
  database: Client
  nodeUrl: string
  apiKeys: readonly [string, ...string[]]
  workspaceId: string
  accepted: readonly Accepted[]
  customers: ReadonlyMap<string, Customer>
  endpoint: Endpoint
  /** How often the provider accepted each message, by our message id. */
  sends: ReadonlyMap<string, number>
  /**
   * How wrong the database's clock may have been: a time that WhatsApp reports is shown as the time of the creation or of the
   * arrival if it seems to be outside them.
   */
  clockErrorSeconds?: number
}

export type Findings = { summary: Record<string, number>; faults: string[] }

export async function check(evidence: Evidence): Promise<Findings> {
  const faults: string[] = []
  const summary = {
    ...(await checkRows(evidence, faults)),
    ...(await checkSends(evidence, faults)),
    ...(await checkOrders(evidence, faults)),
  }
  return { summary, faults }
}

/** Each accepted request has one row and one unit, and there are no others. */
async function checkRows({ database, workspaceId, accepted }: Evidence, faults: string[]) {
  const count = async (text: string): Promise<number> => {
    const { rows } = await database.query<{ n: string }>(text, [workspaceId])
    return Number(rows[0]?.n ?? 0)
  }
  const orders = new Set(accepted.filter(({ kind }) => kind === 'order').map(({ id }) => id)).size
  const codes = new Set(accepted.filter(({ kind }) => kind === 'code').map(({ id }) => id)).size
  const found = {
    orders: await count('select count(*) as n from confirmations where workspace_id = $1'),
    codes: await count(`select count(*) as n from messages where workspace_id = $1 and kind = 'otp'`),
    orderUnits: await count(
      `select coalesce(sum(used), 0) as n from quota_usage where workspace_id = $1 and kind = 'cod_confirmation'`,
    ),
    codeUnits: await count(
      `select coalesce(sum(used), 0) as n from quota_usage where workspace_id = $1 and kind = 'otp'`,
    ),
  }
  if (found.orders !== orders) faults.push(`${orders} orders were accepted, ${found.orders} are stored`)
  if (found.codes !== codes) faults.push(`${codes} codes were accepted, ${found.codes} are stored`)
  if (found.orderUnits !== orders) faults.push(`${orders} orders were accepted, ${found.orderUnits} units were taken`)
  if (found.codeUnits !== codes) faults.push(`${codes} codes were accepted, ${found.codeUnits} units were taken`)
  return { orders, codes }
}

/** `unknown`: how many of its attempts have an unknown outcome. */
type SentMessage = { id: string; status: string; unknown: number }

/** Counts the attempts of the message m that have an unknown outcome. */
export const COUNT_UNKNOWN = `(
  select count(*)::int from message_attempts a
  where a.workspace_id = m.workspace_id and a.message_id = m.id and a.outcome = 'unknown')`

/** A message may reach the provider twice if the outcome of the first attempt was unknown. */
const MAX_COPIES = 2

/** `copies`: how often the provider accepted it. */
export function faultsOf({ id, status, unknown }: SentMessage, copies: number): string[] {
  const faults: string[] = []
  if (status === 'failed') faults.push('failed')
  if (copies === 0) faults.push('never reached the provider')
  if (copies > MAX_COPIES) faults.push(`was sent ${copies} times`)
  if (copies > 1 + unknown) faults.push(`was sent ${copies} times with ${unknown} unknown outcomes`)
  return faults.map((fault) => `message ${id} (${status}) ${fault}`)
}

export type MessageRow = SentMessage & { kind: string; purpose: string | null }

/** A question of a conversation that has moved on is never sent. */
export const isSuperseded = ({ kind, status, purpose }: MessageRow, copies: number): boolean =>
  copies === 0 && kind === 'cod' && status === 'queued' && purpose !== 'template'

/** Each message reached its phone. A second copy needs an unknown outcome as its reason, and there is no third. */
async function checkSends({ database, workspaceId, sends }: Evidence, faults: string[]) {
  const { rows } = await database.query<MessageRow>(
    `select m.id, m.kind, m.status, m.purpose, ${COUNT_UNKNOWN} as unknown from messages m where m.workspace_id = $1`,
    [workspaceId],
  )
  let doubled = 0
  let superseded = 0
  for (const message of rows) {
    const copies = sends.get(message.id) ?? 0
    if (copies > 1) doubled += 1
    if (isSuperseded(message, copies)) superseded += 1
    else faults.push(...faultsOf(message, copies))
  }
  return { messages: rows.length, sentTwice: doubled, superseded }
}

const ANSWERS_PER_STATUS: Readonly<Record<string, string | undefined>> = {
  confirmed: 'cod.confirmed',
  cancelled: 'cod.cancelled',
  rescheduled: 'cod.reschedule_requested',
}

/** Each order ends with its customer's last answer, and so does a caller who keeps the latest event by occurredAt. */
export async function checkOrders(
  {
    nodeUrl,
    apiKeys,
    accepted,
    customers,
    endpoint,
    clockErrorSeconds = 0,
  }: Pick<Evidence, 'nodeUrl' | 'apiKeys' | 'accepted' | 'customers' | 'endpoint' | 'clockErrorSeconds'>,
  faults: string[],
) {
  let reads = 0
  let eventsSeen = 0
  for (const { kind, id, phone } of accepted) {
    if (kind !== 'order') continue
    const apiKey = apiKeys[(reads += 1) % apiKeys.length] ?? apiKeys[0]
    const view = await readConfirmation(nodeUrl, apiKey, id)
    const customer = customers.get(phone)
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
  return { orderEvents: eventsSeen }
}

function checkEvents(name: string, events: readonly ReceivedEvent[], view: ConfirmationView, faults: string[]): void {
  if (new Set(events.map(({ occurredAt }) => occurredAt)).size !== events.length)
    faults.push(`${name} has two events with the same occurredAt`)
  const expected = ANSWERS_PER_STATUS[view.status]
  const latest = events.at(-1)
  if (latest?.type !== expected) faults.push(`${name}: the latest event is ${latest?.type}, the status ${view.status}`)
}

/** The provider cuts times to the second, and the answer may have left a moment after it was measured. */
function isSameSecond(answeredAt: string | null, expectedAt: number, errorSeconds: number): boolean {
  if (answeredAt === null) return false
  const seconds = Math.floor(Date.parse(answeredAt) / 1000) - Math.floor(expectedAt / 1000)
  return seconds >= -errorSeconds && seconds <= 1 + errorSeconds
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
