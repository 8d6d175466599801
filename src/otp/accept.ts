import { MINUTE_MS } from '../clock.ts'
import { type Sql, type Statement, bytea, statement } from '../db.ts'
import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import type { Parts } from '../parts.ts'
import {
  SENDABLE_COLUMNS,
  type SendRequest,
  type Sendable,
  asSendLookUp,
  sendableJoins,
  templateOf,
  versionOf,
  wayOfSend,
  whatIsMissing,
  whatIsUnavailable,
  whoIsBlocked,
} from '../senders/sendable.ts'
import type { Seal } from '../seal.ts'
import { sentences } from '../sentences.ts'
import { otpUnusableReason } from '../templates/usability.ts'
import { type Accepting, type Committed, acceptingInGroups, withinQuota } from '../workspaces/accept-in-groups.ts'

export type OtpRequest = SendRequest & {
  apiKeyId: string
  correlationId: string
  code: string
  reference: string | null
}

/** spec §2.2 */
export type OtpAcceptance = { messageId: string; status: 'queued'; reference: string | null }

/** An OTP that could not be submitted for this long is of no use to anybody (contract §7). */
export const OTP_SUBMISSION_WINDOW_MS = 10 * MINUTE_MS
const OTP_PRIORITY = 0

export const otpCodeSeal = (messageId: string): string => `otp:${messageId}`

type AcceptParts = Pick<Parts, 'clock' | 'seal' | 'wake' | 'live' | 'metrics'> & { db: Sql }

/**
 * Accepts an OTP: the key, the unit, the message and its first work commit together, with whatever else arrived in the
 * same turn. Throws the first Refusal in the contract's order (§2); a refused request leaves nothing behind.
 */
export const otpAccepting = (parts: AcceptParts): ((request: OtpRequest) => Promise<OtpAcceptance>) =>
  acceptingInGroups(parts, acceptingOtps(parts), (workspaceIds) => {
    parts.metrics.otpAccepted.inc(workspaceIds.length)
    parts.wake('submit')
    parts.live.changed(workspaceIds)
  })

const acceptingOtps = ({ seal }: Pick<Parts, 'seal'>): Accepting<OtpRequest, Found, OtpAcceptance> => ({
  kind: 'otp',
  overQuota: 'OTP_QUOTA_EXCEEDED',
  windowMs: OTP_SUBMISSION_WINDOW_MS,
  lookUp,
  asLookUp: asSendLookUp,
  way: wayOfSend,
  decide,
  whatDoesNotFit: () => undefined,
  row: (request) => messageRow(seal, request),
  insert: insertWithinQuota,
  accepted: (request, messageId) => ({ messageId, status: 'queued', reference: request.reference }),
})

type Found = Sendable & {
  n: number
  earlier_id: string | null
  earlier_recipient: string | null
  earlier_sender_id: string | null
  earlier_name: string | null
  earlier_language: string | null
  earlier_reference: string | null
}

const lookUp: Statement<Found> = statement(
  'look_up_otp_requests',
  `select r.n,
          m.id as earlier_id, m.recipient as earlier_recipient, m.sender_id as earlier_sender_id,
          m.template_name as earlier_name, m.template_language as earlier_language, m.reference as earlier_reference,
          ${SENDABLE_COLUMNS}, (${versionOf('r.sender_id')}) as version
   from jsonb_to_recordset($1) as r (n int, workspace_id uuid, key text, sender_id uuid, name text, language text, recipient text)
   left join lateral (
     select * from messages m
     where m.workspace_id = r.workspace_id and m.kind = 'otp' and m.idempotency_key = r.key limit 1) m on true
   ${sendableJoins('r')}`,
)

/** The contract's order: replay, existence, state, content (§2). Undefined: only the quota is left to ask. */
function decide(request: OtpRequest, found: Found): OtpAcceptance | Refusal | undefined {
  if (found.earlier_id !== null) return repeat(request, found, found.earlier_id)
  return whatIsMissing('OTP', found) ?? whatIsUnavailable('OTP', found) ?? whatIsUnusable(found) ?? whoIsBlocked(found)
}

function whatIsUnusable(found: Sendable): Refusal | undefined {
  const reason = otpUnusableReason(templateOf(found))
  return reason === undefined ? undefined : new Refusal('OTP_TEMPLATE_NOT_USABLE', reason)
}

/** The code is not compared: another code under the same key does not replace the message (spec §4.2). */
function repeat(request: OtpRequest, found: Found, messageId: string): OtpAcceptance | Refusal {
  const same =
    found.earlier_recipient === request.recipient &&
    found.earlier_sender_id === request.senderId &&
    found.earlier_name === request.template.name &&
    found.earlier_language === request.template.language &&
    found.earlier_reference === request.reference
  if (same) return { messageId, status: 'queued', reference: request.reference }
  return new Refusal('IDEMPOTENCY_KEY_REUSED', says.keyReused)
}

const says = sentences({
  keyReused: {
    en: 'This Idempotency-Key was used for a request with another recipient, sender, template or reference.',
    ar: 'استُخدم مفتاح منع التكرار هذا لطلب بمستلم أو مرسل أو قالب أو مرجع آخر.',
  },
})

function messageRow(seal: Seal, request: OtpRequest) {
  const id = newId()
  return {
    id,
    recipient: request.recipient,
    reference: request.reference,
    key: request.idempotencyKey,
    code: bytea(seal.close(request.code, otpCodeSeal(id))),
    correlation_id: request.correlationId,
    api_key_id: request.apiKeyId,
  }
}

const insertWithinQuota: Statement<Committed> = statement(
  'insert_otp_messages_within_quota',
  withinQuota('otp', {
    columns: 'reference text, code bytea, correlation_id uuid, api_key_id text',
    version: versionOf('r.sender_id'),
    earlier: `select true as taken from messages m
       where m.workspace_id = w.workspace_id and m.kind = 'otp' and m.idempotency_key = c.key`,
    inserts: `inserted as (
     insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
       idempotency_key, code, correlation_id, api_key_id, quota_unit, created_at, status, priority, submit_by, due_at)
     select id, workspace_id, 'otp', sender_id, recipient, name, language, reference,
       key, code, correlation_id, api_key_id, unit, created_at, 'queued', ${OTP_PRIORITY}, submit_by, due_at
     from admitted
     on conflict (workspace_id, kind, idempotency_key) where idempotency_key is not null do nothing
     returning id, workspace_id, created_at
   )`,
  }),
)
