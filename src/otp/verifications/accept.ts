import { factJoins } from '../../accept/engine.ts'
import { type SendRequest, blockedColumn, sendTarget, senderJoins } from '../../accounts/sendable.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { type Statement, bytea, statement } from '../../lib/db/pool.ts'
import { ApiError } from '../../lib/errors.ts'
import { countryOf } from '../../lib/phone/phone.ts'
import type { SealingKey } from '../../lib/seal.ts'
import { tables } from '../../operations/columns.ts'
import {
  CODE_FACT_COLUMNS,
  type CodeDecision,
  type CodeFacts,
  type CodeParts,
  codeInserts,
  createCodeAcceptor,
  sealedCode,
  sendError,
} from '../code-message.ts'
import { codeOf, hashOf, newCodeKey } from './code.ts'
import { checkCountsOf } from './check-counts.ts'
import { type CheckCounts, MAX_EARLIER, type RecipientHistory, guessingError, recipientLimitError } from './limits.ts'
import { countsOfPrefix, prefixOf } from './pumped.ts'

export type VerificationRequest = SendRequest & {
  length: number
  ttlSeconds: number
  maxAttempts: number
  reference: string | null
  deliverWithinSeconds?: number | undefined
}

export type VerificationAccepted = { verificationId: string; status: 'pending'; reference: string | null }

/** Accepts a verification, whose code Doorcode makes, and its first message (docs/api.md#order-of-checks). */
export const createVerificationAcceptor = (
  parts: CodeParts,
): ((request: VerificationRequest) => Promise<VerificationAccepted>) =>
  createCodeAcceptor(parts, {
    target: sendTarget,
    lookUp,
    decide,
    validForMs: ({ ttlSeconds }) => ttlSeconds * SECOND_MS,
    ...inserts,
    accepted,
  })

function decide(
  request: VerificationRequest,
  facts: VerificationFacts,
): CodeDecision<VerificationAccepted, VerificationRow> {
  const earlier = facts.earlier?.find(({ idempotencyKey }) => idempotencyKey === request.idempotencyKey)
  if (earlier) return answerRepeat(request, earlier)
  const history = facts.histories?.find(({ recipient }) => recipient === request.recipient)
  return (
    sendError(request.recipient, facts) ??
    (facts.checks && guessingError(facts.checks)) ??
    (history && recipientLimitError(history, facts.now)) ??
    ((key, id) => verificationRow(key, { request, history, id }))
  )
}

const accepted = ({ reference }: VerificationRequest, verificationId: string): VerificationAccepted => ({
  verificationId,
  status: 'pending',
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
  length: number
  ttlSeconds: number
  maxAttempts: number
  deliverWithinSeconds: number | null
}

type VerificationFacts = CodeFacts & {
  /** In the workspace's time. */
  now: Date
  earlier: Earlier[] | null
  /** Of the workspace; null without any. */
  checks: CheckCounts | null
  /** Of the recipients whose prefix has verifications. */
  histories: RecipientHistory[] | null
}

/** For look-ups: an instant of the workspace `w`. */
export const WORKSPACE_NOW = `$2::timestamptz + w.clock_offset_ms * interval '1 ms'`

const lookUp: Statement<VerificationFacts> = statement(
  'look_up_verification_requests',
  `select ${CODE_FACT_COLUMNS}, ${WORKSPACE_NOW} as now,
          ${blockedColumn('r.recipients')},
          (select jsonb_agg(e) from unnest(r.keys) as key cross join lateral (
            select v.id, v.idempotency_key as "idempotencyKey", v.recipient, m.sender_id as "senderId",
              m.template_name as "templateName", m.template_language as "templateLanguage", m.reference,
              v.code_length as length, v.ttl_seconds as "ttlSeconds", v.max_attempts as "maxAttempts",
              m.deliver_within_seconds as "deliverWithinSeconds"
            from otp_verifications v cross join lateral (
              select * from messages where workspace_id = v.workspace_id and id = v.id limit 1) m
            where v.workspace_id = r.workspace_id and v.idempotency_key = key limit 1) e) as earlier,
          ${checkCountsOf({ workspaceId: 'r.workspace_id', now: `(${WORKSPACE_NOW})` })} as checks,
          (select jsonb_agg(h) from unnest(r.recipients) as phone cross join lateral (
            select prefix_number as number from otp_verifications
            where workspace_id = r.workspace_id and ${prefixOf('recipient')} = ${prefixOf('phone')} and recipient like '+%'
            order by prefix_number desc limit 1) newest cross join lateral (
            select phone as recipient, newest.number,
              (select jsonb_agg(v) from (
                 select sent_at as "sentAt", wrong_at as "wrongAt" from otp_verifications
                 where workspace_id = r.workspace_id and recipient = phone and recipient like '+%'
                 order by prefix_number desc limit ${MAX_EARLIER}) v) as earlier,
              ${countsOfPrefix({ workspaceId: 'r.workspace_id', prefix: prefixOf('phone'), now: `(${WORKSPACE_NOW})` })} as prefix) h) as histories
   from jsonb_to_recordset($1) as r (
     n int, workspace_id uuid, sender_id uuid, name text, language text, keys text[], recipients text[])
   ${factJoins('otp')}
   ${senderJoins('r.sender_id')}`,
)

function answerRepeat(request: VerificationRequest, earlier: Earlier): VerificationAccepted | ApiError {
  const isSame =
    earlier.recipient === request.recipient &&
    earlier.senderId === request.senderId &&
    earlier.templateName === request.template.name &&
    earlier.templateLanguage === request.template.language &&
    earlier.reference === request.reference &&
    earlier.length === request.length &&
    earlier.ttlSeconds === request.ttlSeconds &&
    earlier.maxAttempts === request.maxAttempts &&
    earlier.deliverWithinSeconds === (request.deliverWithinSeconds ?? null)
  return isSame
    ? accepted(request, earlier.id)
    : new ApiError('IDEMPOTENCY_KEY_REUSED', { code: 'otp.verification_key_reused' })
}

const { code_key: keyContext } = tables.otp_verifications.sealed

type NewVerification = { request: VerificationRequest; history: RecipientHistory | undefined; id: string }

function verificationRow(key: SealingKey, { request, history, id }: NewVerification) {
  const codeKey = newCodeKey()
  const code = codeOf(codeKey, request.length)
  return {
    id,
    sender_id: request.senderId,
    recipient: request.recipient,
    prefix_number: (history?.number ?? 0) + 1,
    country: countryOf(request.recipient) ?? null,
    name: request.template.name,
    language: request.template.language,
    reference: request.reference,
    key: request.idempotencyKey,
    code: sealedCode(key, id, code),
    code_key: bytea(key.close(codeKey, keyContext(id))),
    code_hash: bytea(hashOf(codeKey, code)),
    code_length: request.length,
    ttl_seconds: request.ttlSeconds,
    max_attempts: request.maxAttempts,
    deliver_within_seconds: request.deliverWithinSeconds ?? null,
    correlation_id: request.correlationId,
    api_key_id: request.apiKeyId,
  }
}

type VerificationRow = ReturnType<typeof verificationRow>

/** `do nothing`: another request has the key, or got the next number of the prefix. It is looked up again. */
const inserts = codeInserts('verifications', {
  columns: [
    'prefix_number int',
    'country text',
    'code_key bytea',
    'code_hash bytea',
    'code_length smallint',
    'ttl_seconds smallint',
    'max_attempts smallint',
  ],
  inserted: (claim) => `inserted as (
     insert into otp_verifications (id, workspace_id, recipient, prefix_number, country, idempotency_key, code_length,
       ttl_seconds, max_attempts, created_at, expires_at, status, code_key, code_hash, sent_at, due_at)
     select id, workspace_id, recipient, prefix_number, country, key, code_length,
       ttl_seconds, max_attempts, created_at, created_at + ttl_seconds * interval '1 second', 'pending', code_key, code_hash,
       array[created_at], $2::timestamptz + ttl_seconds * interval '1 second'
     from allowed
     on conflict do nothing
     returning id, workspace_id
   ), first_messages as (
     insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference, code,
       correlation_id, api_key_id, quota_unit, created_at, ${claim.columns}, priority, submit_by, deliver_within_seconds, deliver_by)
     select id, workspace_id, 'otp', sender_id, recipient, name, language, reference, code,
       correlation_id, api_key_id, unit, created_at, ${claim.values}, 0,
       least($3, $2::timestamptz + ttl_seconds * interval '1 second'),
       deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
     -- "is true": as a join, each row would be compared with all others
     from allowed where (id in (select id from inserted)) is true
   )`,
})
