import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type ConnectedAccount, connectAccount, readAccount } from '../../accounts/accounts.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { IDLE_TRANSACTION_MS } from '../../lib/db/pool.ts'
import { type Operator, commit } from '../actions/action.ts'
import type { Membership } from '../auth/members.ts'
import { CallError } from '../rpc/errors.ts'
import { callEmulator, findEmulatorUrl } from '../../sandbox/emulator.ts'

const CALL_TIMEOUT_MS = 5 * SECOND_MS
/** The database ends a transaction that is idle for IDLE_TRANSACTION_MS. */
const CALL_IN_TRANSACTION_MS = IDLE_TRANSACTION_MS / 2
/** Half of what the emulator takes, which counts a character outside the basic plane as two. */
const MAX_NAME_CHARACTERS = 50

const credentials = z.object({ accessToken: z.string(), appSecret: z.string(), verifyToken: z.string() })

/**
 * Connects a sandbox to the emulator with an account of its own, which the emulator makes, and sends the account's webhooks
 * here. Repeated and simultaneous calls find the same account. Also restores the account on an emulator that lost its state.
 */
export async function connectEmulator(
  operator: Operator,
  { workspaceId, name }: Membership,
): Promise<ConnectedAccount> {
  const graphUrl = await findEmulatorUrl(operator, workspaceId)
  if (graphUrl === undefined) throw new CallError('CONFLICT', { code: 'admin.no_emulator' })
  const wabaId = wabaIdOf(workspaceId)
  const path = `/control/accounts/${wabaId}`
  const call = async (method: 'PUT' | 'PATCH', body: object, timeoutMs: number): Promise<unknown> => {
    const answer = await callEmulator(graphUrl, path, { method, body, timeoutMs })
    if (answer?.status !== 200) throw new CallError('BAD_GATEWAY', { code: 'admin.silent' })
    return answer.body
  }
  const shortName = Array.from(name).slice(0, MAX_NAME_CHARACTERS).join('')
  const given = credentials.parse(await call('PUT', { name: shortName }, CALL_TIMEOUT_MS))
  const reading = await readAccount(operator, { workspaceId, wabaId, graphUrl, ...given })
  const connected = await commit(operator, workspaceId, async (tx, record) => {
    const stored = await connectAccount(tx, operator, reading)
    await record({
      action: stored.isKnown ? 'account.renewed' : 'account.connected',
      target: stored.connected.accountId,
      after: { wabaId, graphUrl },
    })
    // In the transaction: an account without webhooks would look connected, and its messages would stay "sending".
    const callbackUrl = `${operator.config.publicUrl}${stored.connected.webhookPath}`
    await call('PATCH', { callbackUrl }, CALL_IN_TRANSACTION_MS)
    return stored.connected
  })
  operator.wake('submit')
  return connected
}

const WABA_IDS = 10n ** 15n

/** 16 digits, the same for each call of a workspace. */
const wabaIdOf = (workspaceId: string): string =>
  String(WABA_IDS + (createHash('sha256').update(workspaceId).digest().readBigUInt64BE() % WABA_IDS))
