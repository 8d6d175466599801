import type { z } from 'zod'
import type { Sql } from '../../lib/db/pool.ts'
import { createOtpAcceptor } from '../../otp/accept.ts'
import type { otpBody } from '../../otp/routes.ts'
import type { Parts } from '../../runtime/parts.ts'
import { DASHBOARD_KEY_ID } from '../../workspaces/keys/keys.ts'
import { type Operator, type RecordEntry, commit } from '../actions/action.ts'

export type Accept<Accepted> = (within: Omit<Parts, 'db'> & { db: Sql }, record: RecordEntry) => Promise<Accepted>

/** What a request of a person or an agent has in place of a key. */
export const requestedBy = (by: { workspaceId: string; correlationId: string }) => ({
  ...by,
  apiKeyId: DASHBOARD_KEY_ID,
  idempotencyKey: null,
})

/** Accepts a request as the API does. Its audit entry is in the same transaction. */
export async function acceptRecorded<Accepted>(
  operator: Operator,
  workspaceId: string,
  accept: Accept<Accepted>,
): Promise<Accepted> {
  /**
   * Silences the acceptors' own announcements and claims nothing: both must wait for the commit. Waits for no turn: the transaction is
   * open.
   */
  const silent = {
    wake: () => {},
    live: { ...operator.live, changed: () => {} },
    acceptedMessages: undefined,
    fairShare: undefined,
  }
  const accepted = await commit(operator, workspaceId, (tx, record) =>
    accept({ ...operator, ...silent, db: tx }, record),
  )
  operator.wake('submit')
  return accepted
}

export const sendOtp = (operator: Operator, by: ReturnType<typeof requestedBy>, body: z.output<typeof otpBody>) =>
  acceptRecorded(operator, by.workspaceId, async (within, record) => {
    const { to, reference = null, ...request } = body
    const accepted = await createOtpAcceptor(within)({ ...by, ...request, recipient: to, reference })
    const after = { recipient: to, template: body.template, reference }
    await record({ action: 'otp.sent', target: accepted.messageId, after })
    return accepted
  })
