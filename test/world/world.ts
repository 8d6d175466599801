import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import type { TestContext } from 'node:test'
import type { Pool } from 'pg'
import { Agent } from 'undici'
import { type AccountSeed, DEMO, type Emulator, demoAccount, startEmulator } from '@doorcode/whatsapp-emulator'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../src/lib/clock.ts'
import { type MovedClock, createMovedClock } from '../faults/moved-clock.ts'
import { connectAccount, addEndpoint } from './set-up.ts'
import { setQuota } from '../../src/workspaces/quota.ts'
import { createKey } from '../../src/workspaces/keys/keys.ts'
import { createWorkspace } from '../../src/workspaces/workspaces.ts'
import { fetchChecks } from '../runner/responses.ts'
import { type SentRequest, createRequester, createKeyRotation } from './requester.ts'
import { createCodHelpers } from './cod.ts'
import { queryPool } from '../faults/connections.ts'
import { fileDatabase } from '../database/database.ts'
import { type Busy, cancelWork, findDueWork, workOf } from '../database/due-work.ts'
import { type Node, type NodeOptions, startNode } from './node.ts'
import { createPhones } from './phones.ts'
import { freePort } from '../programs/program.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { createVerificationHelpers } from './verifications.ts'
import { waitFor } from './wait-for.ts'

export type WorldOptions = Pick<
  NodeOptions,
  'rateLimit' | 'works' | 'claimsOnWrite' | 'removes' | 'wrapDb' | 'settings'
> & {
  /** Whether the workspace is a sandbox. */
  sandbox?: boolean
  /** Monthly units of OTPs. */
  otpQuota?: number
  /** Overrides of the emulator's account, such as numbers or templates. */
  account?: Partial<AccountSeed>
  /** By default the emulator sends only the reports that a test requests. */
  statuses?: 'automatic' | 'manual'
  /** The COD settings, as changes of the example's; by default there are none. */
  cod?: object
  /** Whether the last digits of a number decide what the emulator does. */
  magicNumbers?: boolean
  /** Whether the emulator enforces WhatsApp's rate limits, which our pacing keeps us below. */
  limits?: boolean
  /** Default: a clock of the real time that the test can move. */
  clock?: MovedClock
  /** The test expects the program to log errors. */
  mayLogErrors?: boolean
}

export type OtpFields = {
  to: string
  senderId: string
  template: { name: string; language: string }
  code: string
  reference: string
  deliverWithinSeconds: number
}

export type SentOtp = { messageId: string; status: string; reference: string | null; to: string; code: string }

export type WorldReceiver = Receiver & { endpointId: string; secret: string }

export type World = Awaited<ReturnType<typeof startWorld>>

/**
 * A new workspace on the file's database, the real program, the WhatsApp emulator and a clock that the test moves. Ends
 * with the test.
 */
export async function startWorld(t: TestContext, options: WorldOptions = {}) {
  const databaseUrl = await fileDatabase()
  const database = await queryPool()
  await resetRemovalGuard(database)
  const clock = options.clock ?? createMovedClock()
  const http = new Agent({ connections: 128, pipelining: 1 })
  const emulator = await startWorldEmulator(clock, options)
  const nodes: Node[] = []
  const receivers: Receiver[] = []
  t.after(async () => {
    await Promise.all([...nodes.map((node) => node.stop()), emulator.close(), http.destroy()])
    await Promise.all(receivers.map((receiver) => receiver.close()))
  })
  const first = await startFirstNode({ databaseUrl, ...options, clock })
  nodes.push(first)
  const { workspaceId, account, credentials, setCallback } = await setUpWorkspace(first, emulator, options)

  t.after(async () => {
    await cancelWork(database, workspaceId)
    if (!t.passed) printLog(t, nodes)
    if (!options.mayLogErrors) assertNoErrors(nodes)
    for (const { event } of receivers.flatMap(({ received }) => received)) checks.webhook(event)
  })

  const freshKey = async (): Promise<string> => {
    const { apiKey } = await createKey(first.parts.db, clock, { workspaceId, name: 'test' })
    return apiKey
  }
  const checks = await fetchChecks(first.url)
  const request = createRequester({ http, check: checks.answer, url: first.url, nextKey: createKeyRotation(freshKey) })
  const sender = account.senders[0]
  assert.ok(sender, 'the account has a number')

  const wakeAll = (): void => nodes.forEach((node) => node.wake())

  /** Waits until all due work is done and the emulator has sent everything. */
  const settled = async (): Promise<void> => {
    let busy: Busy | undefined
    const look = async (): Promise<boolean> => {
      await emulator.idle()
      busy = await findDueWork(database, workspaceId, clock)
      return busy === undefined
    }
    await waitFor(
      () => `the work to be done, but this is left: ${JSON.stringify(busy)}`,
      async () => {
        // Twice: the emulator reports on a message that it received after the first time it was idle.
        if ((await look()) && (await look())) return true
        const work = busy && workOf(busy)
        nodes.forEach((node) => node.wake(work))
        return false
      },
    )
  }

  /** An acceptable body with the given members replaced. */
  const otpBody = (
    fields: Partial<OtpFields> = {},
  ): Partial<OtpFields> & Omit<OtpFields, 'reference' | 'deliverWithinSeconds'> => ({
    to: newPhone(),
    senderId: sender.senderId,
    template: { name: 'login_code', language: 'en_US' },
    code: newCode(),
    ...fields,
  })

  /** Sends an OTP that must be accepted. */
  const sendOtp = async (
    fields: Partial<OtpFields> = {},
    options: Omit<SentRequest, 'body'> = {},
  ): Promise<SentOtp> => {
    const body = otpBody(fields)
    const answer = await request('POST', '/api/v1/otp/messages', { body, ...options })
    assert.equal(answer.status, 202, answer.text)
    return { ...(answer.body as Omit<SentOtp, 'to' | 'code'>), to: body.to, code: body.code }
  }

  const whatsapp = createPhones({ emulator, settled })
  const senderId = sender.senderId
  const cod = createCodHelpers({ parts: first.parts, workspaceId, senderId, emulator, request, settled, newPhone })
  if (options.cod) await cod.codSettings(options.cod)

  return {
    workspaceId,
    senderId,
    account,
    /** The account's credentials. */
    credentials,
    /** Sends the provider's webhooks to another origin. */
    setCallback,
    clock,
    emulator,
    first,
    nodes,
    databaseUrl,
    parts: first.parts,
    whatsapp,
    ...createVerificationHelpers({ senderId, request, whatsapp, newPhone }),
    ...cod,
    freshKey,
    request,
    settled,
    otpBody,

    sendOtp,

    /** Sends an OTP, and waits until it is submitted. */
    async submitOtp(...of: Parameters<typeof sendOtp>): Promise<SentOtp> {
      const otp = await sendOtp(...of)
      await settled()
      return otp
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

    /** Blocks a number in the workspace. */
    async block(phone: string): Promise<void> {
      const text = 'insert into blocked_recipients (workspace_id, phone, created_at) values ($1, $2, now())'
      await database.query(text, [workspaceId, phone])
    },

    /** Another node on the same database. */
    async node(more: Partial<NodeOptions> = {}): Promise<Node> {
      const node = await startNode({ databaseUrl, ...options, clock, ...more })
      nodes.push(node)
      return node
    },

    /** Moves the clock and wakes the background work: `advance('5m')`. */
    advance(by: string): void {
      clock.advance(toMilliseconds(by))
      wakeAll()
    },

    /** Moves the clock, and waits until what fell due is done: `after('5m')`. */
    async after(by: string): Promise<void> {
      clock.advance(toMilliseconds(by))
      wakeAll()
      await settled()
    },

    /** The rows of a query. */
    async query<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      const answer = await database.query<Row>(text, values)
      return answer.rows
    },
  }
}

let port: number | undefined
let isPortTaken = false

/**
 * All worlds of a process use the same port, one after the other, so that the browser has the pages' scripts in its
 * cache.
 */
async function startFirstNode(options: NodeOptions): Promise<Node> {
  if (isPortTaken) return startNode(options)
  isPortTaken = true
  port ??= await freePort()
  const node = await startNode({ ...options, port }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    port = await freePort() // another process took it between two worlds
    return startNode({ ...options, port })
  })
  return { ...node, stop: () => node.stop().finally(() => (isPortTaken = false)) }
}

async function startWorldEmulator(
  clock: MovedClock,
  { statuses = 'manual', limits = false, magicNumbers = false }: WorldOptions,
): Promise<Emulator> {
  return startEmulator({
    speed: 0,
    statuses,
    magicNumbers,
    pairLimit: limits,
    throughputLimit: limits,
    batch: { windowMs: 0 },
    now: () => clock.now().getTime(),
  })
}

/** The operator's setup: workspace, quota and WhatsApp account. */
async function setUpWorkspace(
  { parts, url }: Node,
  emulator: Emulator,
  { sandbox = false, otpQuota, account: changes }: WorldOptions,
) {
  const { workspaceId } = await createWorkspace(parts.db, parts.clock, { name: 'Test shop', sandbox })
  if (otpQuota !== undefined) {
    await setQuota(parts.db, { workspaceId, kind: 'otp', monthlyUnits: otpQuota })
  }
  const seed = demoAccount(changes)
  const added = emulator.addAccount(seed)
  const { accessToken, appSecret, verifyToken } = seed
  const credentials = { workspaceId, wabaId: added.id, graphUrl: emulator.url, accessToken, appSecret, verifyToken }
  const account = await connectAccount(parts, credentials)
  const setCallback = (origin: string): void => {
    added.callbackUrl = `${origin}${account.webhookPath}`
  }
  setCallback(url)
  return { workspaceId, account, credentials, setCallback }
}

const WARN_LEVEL = 40
const ERROR_LEVEL = 50

const linesFrom = (nodes: readonly Node[], level: number): string[] =>
  nodes.flatMap((node) => node.logLines).filter((line) => (JSON.parse(line) as { level: number }).level >= level)

function assertNoErrors(nodes: readonly Node[]): void {
  assert.deepEqual(linesFrom(nodes, ERROR_LEVEL), [], 'the program logged an error')
}

function printLog(t: TestContext, nodes: readonly Node[]): void {
  for (const line of linesFrom(nodes, WARN_LEVEL)) t.diagnostic(line.trim())
}

const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }

/** `250ms`, `5s`, `10m`, `23h`, `5d`. */
export function toMilliseconds(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)$/.exec(text) ?? []
  const unitMs = UNITS_MS[unit ?? '']
  if (count === undefined || unitMs === undefined)
    throw new Error(`${text} is no duration such as 250ms, 5s, 10m, 23h, 5d`)
  return Number(count) * unitMs
}

/** A unique Moroccan mobile number. */
export const newPhone = (): string => `+2126${String(randomInt(10 ** 8)).padStart(8, '0')}`

const CODE_ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** Long enough not to appear anywhere by chance. */
export const newCode = (): string =>
  Array.from({ length: 15 }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('')

export { DEMO }

/**
 * As on an instance that has run until now: the clock of an earlier test may have been ahead, and its ids may be random. All settings
 * are longer than these.
 */
const resetRemovalGuard = (database: Pick<Pool, 'query'>): Promise<unknown> =>
  database.query(`
    insert into removal_guard (trusted_at, content_days, records_days, audit_days) values (clock_timestamp(), 1, 1, 1)
    on conflict (only_row) do update
    set (trusted_at, set_back_to, content_days, records_days, audit_days) = (clock_timestamp(), null, 1, 1, 1)`)
