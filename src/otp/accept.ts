import { later } from '../lib/clock.ts'
import { type Statement, statement } from '../lib/db/pool.ts'
import { ApiError } from '../lib/errors.ts'
import { ORIGIN_COLUMNS } from '../messages/queue/lock-senders.ts'
import { OTP_SUBMISSION_WINDOW_MS } from '../messages/submission-window.ts'
import type { Parts } from '../runtime/parts.ts'
import { sendableColumns, type SendRequest, type Sendable, senderJoins, sendTarget } from '../accounts/sendable.ts'
import type { SealingKey } from '../lib/seal.ts'
import { createKeyFinder } from '../operations/secrets/instance.ts'
import { type Acceptance, FACT_COLUMNS, type Facts, createAcceptor, factJoins } from '../accept/engine.ts'
import {
  type CodeOrigin,
  type CodeParts,
  announceTo,
  createNewCode,
  codeInserts,
  keyChanged,
  sealedCode,
  sendError,
} from './code-message.ts'

export type OtpRequest = SendRequest & {
  code: string
  reference: string | null
  /** Of an auth hook, whose keys contain the code and the recipient: all else may have changed since. */
  earlierKeys?: readonly string[]
  deliverWithinSeconds?: number | undefined
}

export type OtpAcceptance = { messageId: string; status: 'queued'; reference: string | null }

/**
 * Accepts an OTP: the key, the unit of quota and the message commit together. Throws the first ApiError
 * (docs/api.md#order-of-checks); a rejected request stores nothing.
 */
export const createOtpAcceptor = (parts: CodeParts) => createAcceptor(parts, otpAcceptance(parts), announceTo(parts))

function otpAcceptance({ seal }: Pick<Parts, 'seal'>): Acceptance<OtpRequest, OtpFacts, OtpAcceptance, OtpRow> {
  const findKey = createKeyFinder(seal)
  const newCode = createNewCode({ seal })
  return {
    quota: 'otp',
    overQuota: 'OTP_QUOTA_EXCEEDED',
    windowMs: OTP_SUBMISSION_WINDOW_MS,
    target: sendTarget,
    lookUp,
    decide(request, facts) {
      const decided = decide(request, facts)
      if (decided) return decided
      const key = findKey(facts.keyCheck)
      return key ? (id) => messageRow(key, request, id) : keyChanged()
    },
    ...inserts,
    newMessage: ({ workspaceId }, facts, { row, now }) =>
      newCode(row, facts, { workspaceId, submitBy: later(now, OTP_SUBMISSION_WINDOW_MS) }),
    accepted: (request, messageId) => ({ messageId, status: 'queued', reference: request.reference }),
  }
}

type Earlier = {
  id: string
  idempotencyKey: string
  recipient: string
  senderId: string
  templateName: string
  templateLanguage: string
  reference: string | null
  deliverWithinSeconds: number | null
}

type OtpFacts = Facts & Sendable & CodeOrigin & { keyCheck: Buffer; earlier: Earlier[] | null }

const lookUp: Statement<OtpFacts> = statement(
  'look_up_otp_requests',
  `select ${FACT_COLUMNS}, (select key_check from instance where only_row) as "keyCheck", ${sendableColumns('OTP')}, ${ORIGIN_COLUMNS},
          array (
            select b.phone from blocked_recipients b
            where b.workspace_id = r.workspace_id and b.phone = any (r.recipients)) as blocked,
          (select jsonb_agg(m) from unnest(r.keys) as key cross join lateral (
            select id, idempotency_key as "idempotencyKey", recipient, sender_id as "senderId",
              template_name as "templateName", template_language as "templateLanguage", reference,
              deliver_within_seconds as "deliverWithinSeconds"
            from messages
            where workspace_id = r.workspace_id and kind = 'otp' and idempotency_key = key and verification_id is null
            limit 1) m) as earlier
   from jsonb_to_recordset($1) as r (
     n int, workspace_id uuid, sender_id uuid, name text, language text, keys text[], recipients text[])
   ${factJoins('otp')}
   ${senderJoins('r.sender_id')}`,
)

/** Returns undefined if only the quota is left to check. */
function decide(request: OtpRequest, facts: OtpFacts): OtpAcceptance | ApiError | undefined {
  const { idempotencyKey: key, earlierKeys = [] } = request
  const earlier = facts.earlier?.find(({ idempotencyKey: each }) => each === key || earlierKeys.includes(each))
  if (earlier) return answerRepeat(request, earlier)
  return sendError(request.recipient, facts)
}

/** The code is not compared: another code under the same key does not replace the message (docs/otp.md#repeats). */
function answerRepeat(request: OtpRequest, earlier: Earlier): OtpAcceptance | ApiError {
  const isSame =
    request.earlierKeys !== undefined ||
    (earlier.recipient === request.recipient &&
      earlier.senderId === request.senderId &&
      earlier.templateName === request.template.name &&
      earlier.templateLanguage === request.template.language &&
      earlier.reference === request.reference &&
      earlier.deliverWithinSeconds === (request.deliverWithinSeconds ?? null))
  if (isSame) return { messageId: earlier.id, status: 'queued', reference: request.reference }
  return new ApiError('IDEMPOTENCY_KEY_REUSED', { code: 'otp.key_reused' })
}

function messageRow(key: SealingKey, request: OtpRequest, id: string) {
  return {
    id,
    sender_id: request.senderId,
    recipient: request.recipient,
    name: request.template.name,
    language: request.template.language,
    reference: request.reference,
    deliver_within_seconds: request.deliverWithinSeconds ?? null,
    key: request.idempotencyKey,
    code: sealedCode(key, id, request.code),
    correlation_id: request.correlationId,
    api_key_id: request.apiKeyId,
  }
}

type OtpRow = ReturnType<typeof messageRow>

const inserts = codeInserts('otp_messages', {
  columns: [],
  inserted: (claim) => `inserted as (
     insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
       idempotency_key, code, correlation_id, api_key_id, quota_unit, created_at, ${claim.columns}, priority, submit_by,
       deliver_within_seconds, deliver_by)
     select id, workspace_id, 'otp', sender_id, recipient, name, language, reference,
       key, code, correlation_id, api_key_id, unit, created_at, ${claim.values}, 0, $3,
       deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
     from allowed
     on conflict (workspace_id, kind, idempotency_key) where idempotency_key is not null and verification_id is null do nothing
     returning id, workspace_id
   )`,
})
