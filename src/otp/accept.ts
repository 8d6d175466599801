import { type Statement, statement } from '../lib/db/pool.ts'
import { ApiError } from '../lib/errors.ts'
import { type SendRequest, blockedColumn, senderJoins, sendTarget } from '../accounts/sendable.ts'
import type { SealingKey } from '../lib/seal.ts'
import { factJoins } from '../accept/engine.ts'
import {
  CODE_FACT_COLUMNS,
  type CodeDecision,
  type CodeFacts,
  type CodeParts,
  codeInserts,
  createCodeAcceptor,
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

/** Accepts an OTP, whose code the caller made (docs/api.md#order-of-checks). */
export const createOtpAcceptor = (parts: CodeParts): ((request: OtpRequest) => Promise<OtpAcceptance>) =>
  createCodeAcceptor(parts, {
    target: sendTarget,
    lookUp,
    decide,
    ...inserts,
    accepted,
  })

const accepted = ({ reference }: OtpRequest, messageId: string): OtpAcceptance => ({
  messageId,
  status: 'queued',
  reference,
})

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

type OtpFacts = CodeFacts & { earlier: Earlier[] | null }

const lookUp: Statement<OtpFacts> = statement(
  'look_up_otp_requests',
  `select ${CODE_FACT_COLUMNS},
          ${blockedColumn('r.recipients')},
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

function decide(request: OtpRequest, facts: OtpFacts): CodeDecision<OtpAcceptance, OtpRow> {
  const { idempotencyKey, earlierKeys = [] } = request
  const earlier = facts.earlier?.find(
    ({ idempotencyKey: each }) => each === idempotencyKey || earlierKeys.includes(each),
  )
  if (earlier) return answerRepeat(request, earlier)
  return sendError(request.recipient, facts) ?? ((key, id) => messageRow(key, request, id))
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
  return isSame ? accepted(request, earlier.id) : new ApiError('IDEMPOTENCY_KEY_REUSED', { code: 'otp.key_reused' })
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
