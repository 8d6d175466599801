import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import { Pool } from 'pg'
import { Agent } from 'undici'
import { type AccountSeed, DEMO, type Emulator, demoAccount, startEmulator } from '../emulator/emulator.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, type MovedClock, SECOND_MS, movedClock } from '../src/clock.ts'
import { connectAccount } from '../src/senders/accounts.ts'
import { addEndpoint } from '../src/webhooks/endpoints.ts'
import { setAllowance } from '../src/workspaces/allowances.ts'
import { createKey } from '../src/workspaces/keys.ts'
import { createWorkspace } from '../src/workspaces/workspaces.ts'
import { fetchAnswerCheck } from './answers.ts'
import { type Asked, asking, rotatingKeys } from './ask.ts'
import { codOf } from './cod.ts'
import { fileDatabase } from './database.ts'
import { type Busy, whatIsDue } from './due.ts'
import { type Node, type NodeOptions, startNode } from './node.ts'
import { phonesOf } from './phones.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { until } from './until.ts'

export type WorldOptions = Pick<NodeOptions, 'rateLimit' | 'works' | 'wrapDb'> & {
  /** Monthly units of OTPs. */
  otpAllowance?: number
  /** Changes to the twin's account, such as other numbers or templates. */
  account?: Partial<AccountSeed>
  /** By default the twin reports only what a test orders. */
  statuses?: 'automatic' | 'manual'
  /** Whether the twin enforces WhatsApp's own rates, which ours keep us from reaching. */
  limits?: boolean
  /** Faults that the program logs as errors are part of the test. */
  mayLogErrors?: boolean
}

export type OtpFields = {
  to: string
  senderId: string
  template: { name: string; language: string }
  code: string
  reference: string
}

export type SentOtp = { messageId: string; status: string; reference: string | null; to: string; code: string }

export type WorldReceiver = Receiver & { endpointId: string; secret: string }

export type World = Awaited<ReturnType<typeof startWorld>>

/**
 * A workspace of its own on the file's database, the real program in front of it, the WhatsApp twin behind it, and a
 * clock that is moved. Everything ends with the test.
 */
export async function startWorld(t: TestContext, options: WorldOptions = {}) {
  const databaseUrl = await fileDatabase()
  const database = new Pool({ connectionString: databaseUrl, max: 3 })
  const clock = movedClock()
  const http = new Agent({ connections: 128, pipelining: 1 })
  const twin = await startTwin(clock, options)
  const first = await startNode({ databaseUrl, clock, ...options })
  const nodes = [first]
  const receivers: Receiver[] = []
  const { workspaceId, account, credentials, setCallback } = await settleIn(first, twin, options)

  t.after(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await Promise.all([twin.close(), http.destroy(), ...receivers.map((receiver) => receiver.close())])
    await retire(database, workspaceId)
    await database.end()
    if (!t.passed) tellWhatWasLogged(t, nodes)
    if (!options.mayLogErrors) assertNoErrors(nodes)
  })

  const freshKey = async (): Promise<string> => {
    const { apiKey } = await createKey(first.parts.db, clock, { workspaceId, name: 'test' })
    return apiKey
  }
  const check = await fetchAnswerCheck(first.url)
  const request = asking({ http, check, url: first.url, nextKey: rotatingKeys(freshKey) })
  const sender = account.senders[0]
  assert.ok(sender, 'the account has a number')

  const wakeAll = (): void => nodes.forEach((node) => node.wake())

  /** Everything that is due by the clock is done, on every node, and nothing is on its way from the twin. */
  const settled = async (): Promise<void> => {
    let busy: Busy | undefined
    await until(
      () => `the work to be done, but this is left: ${JSON.stringify(busy)}`,
      async () => {
        wakeAll()
        await twin.idle()
        busy = await whatIsDue(database, workspaceId, clock)
        return busy === undefined
      },
    )
  }

  /** A body that is accepted, with the given members in place of the usual ones. */
  const otpBody = (fields: Partial<OtpFields> = {}): OtpFields | Omit<OtpFields, 'reference'> => ({
    to: newPhone(),
    senderId: sender.senderId,
    template: { name: 'login_code', language: 'en_US' },
    code: newCode(),
    ...fields,
  })

  return {
    workspaceId,
    senderId: sender.senderId,
    account,
    /** What the account was connected with. */
    credentials,
    /** Sends the provider's webhooks to another origin. */
    setCallback,
    clock,
    twin,
    first,
    nodes,
    databaseUrl,
    parts: first.parts,
    whatsapp: phonesOf({ twin, settled }),
    ...codOf({ parts: first.parts, workspaceId, senderId: sender.senderId, twin, request, settled, newPhone }),
    freshKey,
    request,
    settled,
    otpBody,

    /** Sends an OTP that must be accepted. */
    async sendOtp(fields: Partial<OtpFields> = {}, asked: Omit<Asked, 'body'> = {}): Promise<SentOtp> {
      const body = otpBody(fields)
      const answer = await request('POST', '/api/v1/otp/messages', { body, ...asked })
      assert.equal(answer.status, 202, answer.text)
      return { ...(answer.body as Omit<SentOtp, 'to' | 'code'>), to: body.to, code: body.code }
    },

    /** The status response of a message that must exist. */
    async getOtp(otp: { messageId: string }): Promise<Record<string, unknown>> {
      const answer = await request('GET', `/api/v1/otp/messages/${otp.messageId}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.body
    },

    /** An endpoint of the workspace, with a real server behind it. */
    async receiver(): Promise<WorldReceiver> {
      const receiver = await startReceiver()
      receivers.push(receiver)
      const { endpointId, secret } = await addEndpoint(first.parts, { workspaceId, url: receiver.url })
      return Object.assign(receiver, { endpointId, secret })
    },

    /** Another process's worth of the program on the same database. */
    async node(more: Partial<NodeOptions> = {}): Promise<Node> {
      const node = await startNode({ databaseUrl, clock, ...options, ...more })
      nodes.push(node)
      return node
    },

    /** Moves the clock and rouses the background work: `advance('5m')`. */
    advance(by: string): void {
      clock.advance(millisecondsOf(by))
      wakeAll()
    },

    /** For questions that only tests ask. */
    async ask<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      const answer = await database.query<Row>(text, values)
      return answer.rows
    },
  }
}

async function startTwin(clock: MovedClock, { statuses = 'manual', limits = false }: WorldOptions): Promise<Emulator> {
  return startEmulator({
    speed: 0,
    statuses,
    magicNumbers: false,
    pairLimit: limits,
    throughputLimit: limits,
    batch: { windowMs: 0 },
    now: () => clock.now().getTime(),
  })
}

/** What an operator does before the first request: a workspace, its allowance, its WhatsApp account. */
async function settleIn({ parts, url }: Node, twin: Emulator, { otpAllowance, account: changes }: WorldOptions) {
  const { workspaceId } = await createWorkspace(parts, { name: 'Test shop', sandbox: false })
  if (otpAllowance !== undefined) {
    await setAllowance(parts.db, { workspaceId, kind: 'otp', monthlyUnits: otpAllowance })
  }
  const seed = demoAccount(changes)
  const added = twin.addAccount(seed)
  const { accessToken, appSecret, verifyToken } = seed
  const credentials = { workspaceId, wabaId: added.id, graphUrl: twin.url, accessToken, appSecret, verifyToken }
  const account = await connectAccount(parts, credentials)
  const setCallback = (origin: string): void => {
    added.callbackUrl = `${origin}${account.webhookPath}`
  }
  setCallback(url)
  return { workspaceId, account, credentials, setCallback }
}

/** What is left of a workspace must not reach the next test of the file, whose clock is another one. */
async function retire(database: Pool, workspaceId: string): Promise<void> {
  for (const text of RETIREMENTS) await database.query(text, [workspaceId])
}

const RETIREMENTS = [
  'update messages set due_at = null, lease = null, code = null where workspace_id = $1 and due_at is not null',
  `update provider_reports set due_at = null, outcome = 'ignored' where workspace_id = $1 and due_at is not null`,
  `update webhook_deliveries set due_at = null, lease = null, status = 'failed' where workspace_id = $1 and due_at is not null`,
  `update provider_accounts set sync_due_at = 'infinity' where workspace_id = $1`,
  ...['confirmations', 'refusal_checks'].map(
    (table) =>
      `update ${table} set reminder_at = null, deadline_at = null, follow_up_at = null where workspace_id = $1 and timer_due_at is not null`,
  ),
]

const WARN_LEVEL = 40
const ERROR_LEVEL = 50

const linesFrom = (nodes: readonly Node[], level: number): string[] =>
  nodes.flatMap((node) => node.logLines).filter((line) => (JSON.parse(line) as { level: number }).level >= level)

function assertNoErrors(nodes: readonly Node[]): void {
  assert.deepEqual(linesFrom(nodes, ERROR_LEVEL), [], 'the program logged an error')
}

function tellWhatWasLogged(t: TestContext, nodes: readonly Node[]): void {
  for (const line of linesFrom(nodes, WARN_LEVEL)) t.diagnostic(line.trim())
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** `250ms`, `5s`, `10m`, `23h`, `5d`. */
export function millisecondsOf(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit ?? '']
  if (count === undefined || unitMs === undefined)
    throw new Error(`${text} is no duration such as 250ms, 5s, 10m, 23h, 5d`)
  return Number(count) * unitMs
}

/** A Moroccan mobile number that no other call gave. */
export const newPhone = (): string => `+2126${String(randomInt(10 ** 8)).padStart(8, '0')}`

const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Long enough that it turns up nowhere by chance. */
export const newCode = (): string =>
  Array.from({ length: 15 }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('')

export { DEMO }
