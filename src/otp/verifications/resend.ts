import { factJoins } from '../../accept/engine.ts'
import { blockedColumn, senderJoins } from '../../accounts/sendable.ts'
import { type Statement, statement } from '../../lib/db/pool.ts'
import {
  CODE_FACT_COLUMNS,
  type CodeDecision,
  type CodeFacts,
  type CodeParts,
  type CodeRow,
  codeInserts,
  createCodeAcceptor,
  keyChanged,
  sealedCode,
  sendError,
} from '../code-message.ts'
import { WORKSPACE_NOW } from './accept.ts'
import { codeOf } from './code.ts'
import type { VerificationStatus } from './decide.ts'
import { ended, notFound } from './errors.ts'
import { resendLimitError } from './limits.ts'
import { openCodeKey } from './store.ts'

export type ResendRequest = {
  workspaceId: string
  apiKeyId: string
  correlationId: string
  trace?: string | undefined
  idempotencyKey: string | null
  verificationId: string
}

export type ResendAccepted = { verificationId: string; messageId: string; status: 'pending' }

/** Accepts a resend of a verification's code: the message and its place among the resends commit together. */
export const createResendAcceptor = (parts: CodeParts): ((request: ResendRequest) => Promise<ResendAccepted>) =>
  createCodeAcceptor(parts, {
    target: ({ workspaceId, verificationId }) => ({ workspace_id: workspaceId, verification_id: verificationId }),
    lookUp,
    decide: (request, facts) => decide(parts.seal, request, facts),
    validForMs: (_request, { expiresAt, now }) => expiresAt.getTime() - now.getTime(),
    ...inserts,
    accepted,
  })

type ResendFacts = CodeFacts & {
  /** In the workspace's time. */
  now: Date
  /** Null if the workspace has no such verification. */
  status: VerificationStatus | null
  expiresAt: Date
  sentAt: readonly Date[]
  codeKey: Buffer | null
  codeLength: number
  senderId: string
  recipient: string
  name: string
  language: string
  reference: string | null
  deliverWithinSeconds: number | null
  earlier: { id: string; idempotencyKey: string }[] | null
}

function decide(
  seal: CodeParts['seal'],
  request: ResendRequest,
  facts: ResendFacts,
): CodeDecision<ResendAccepted, ResendRow> {
  const earlier = facts.earlier?.find(({ idempotencyKey }) => idempotencyKey === request.idempotencyKey)
  if (earlier) return accepted(request, earlier.id)
  const { status, codeKey, codeLength, now } = facts
  if (status === null) return notFound()
  if (status !== 'pending') return ended(status)
  if (!codeKey || now >= facts.expiresAt) return ended('expired')
  const error = sendError(facts.recipient, facts) ?? resendLimitError({ ...facts, status }, now)
  if (error) return error
  const opened = openCodeKey(seal, { id: request.verificationId, codeKey })
  if (opened === undefined) return keyChanged()
  return (key, id) => resendRow(request, facts, { id, code: sealedCode(key, id, codeOf(opened, codeLength)) })
}

const accepted = ({ verificationId }: ResendRequest, messageId: string): ResendAccepted => ({
  verificationId,
  messageId,
  status: 'pending',
})

const lookUp: Statement<ResendFacts> = statement(
  'look_up_resend_requests',
  `select ${CODE_FACT_COLUMNS}, ${WORKSPACE_NOW} as now, r.status, r.expires_at as "expiresAt", r.sent_at as "sentAt", r.code_key as "codeKey",
          r.code_length as "codeLength", r.sender_id as "senderId", r.recipient, r.name, r.language, r.reference,
          r.deliver_within_seconds as "deliverWithinSeconds",
          ${blockedColumn('array[r.recipient]')},
          (select jsonb_agg(e) from unnest(r.keys) as key cross join lateral (
            select id, idempotency_key as "idempotencyKey" from messages
            where workspace_id = r.workspace_id and verification_id = r.verification_id and idempotency_key = key
            limit 1) e) as earlier
   from (
     select q.*, v.status, v.expires_at, v.sent_at, v.code_key, v.code_length, v.recipient, m.sender_id,
       m.template_name as name, m.template_language as language, m.reference, m.deliver_within_seconds
     from jsonb_to_recordset($1) as q (n int, workspace_id uuid, verification_id uuid, keys text[])
     left join lateral (
       select * from otp_verifications where workspace_id = q.workspace_id and id = q.verification_id limit 1) v on true
     left join lateral (
       select * from messages where workspace_id = v.workspace_id and id = v.id limit 1) m on true) r
   ${factJoins('otp')}
   ${senderJoins('r.sender_id')}`,
)

type ResendRow = CodeRow & Readonly<Record<string, unknown>>

const resendRow = (
  request: ResendRequest,
  { senderId, recipient, name, language, reference, deliverWithinSeconds, sentAt }: ResendFacts,
  { id, code }: { id: string; code: string },
): ResendRow => ({
  id,
  verification_id: request.verificationId,
  sent: sentAt.length,
  sender_id: senderId,
  recipient,
  name,
  language,
  reference,
  deliver_within_seconds: deliverWithinSeconds,
  key: request.idempotencyKey,
  code,
  correlation_id: request.correlationId,
  api_key_id: request.apiKeyId,
})

/**
 * Only while the verification is as the look-up found it. Another resend, its end or an erasure changes that: then no row is
 * inserted, and the next look-up sees why. One of a group's requests for a verification is inserted. Ordered, so that groups
 * of several nodes cannot deadlock.
 */
const inserts = codeInserts('resends', {
  columns: ['verification_id uuid', 'sent int'],
  inserted: (claim) => `pending as materialized (
     select n.*, v.due_at as expires_due_at
     from (select distinct on (verification_id) * from allowed order by verification_id, id) n
     cross join lateral (
       select due_at from otp_verifications v
       where v.workspace_id = n.workspace_id and v.id = n.verification_id and v.status = 'pending' and v.recipient = n.recipient
         and cardinality(v.sent_at) = n.sent limit 1 for no key update) v
   ), resent as (
     update otp_verifications v set sent_at = v.sent_at || (select p.created_at from pending p where p.verification_id = v.id)
     where v.id = any (array (select verification_id from pending))
   ), inserted as (
     insert into messages (id, workspace_id, kind, sender_id, recipient, template_name, template_language, reference,
       idempotency_key, code, verification_id, correlation_id, api_key_id, quota_unit, created_at, ${claim.columns}, priority, submit_by,
       deliver_within_seconds, deliver_by)
     select id, workspace_id, 'otp', sender_id, recipient, name, language, reference,
       key, code, verification_id, correlation_id, api_key_id, unit, created_at, ${claim.values}, 0,
       least($3, expires_due_at), deliver_within_seconds, $2::timestamptz + deliver_within_seconds * interval '1 second'
     from pending
     returning id, workspace_id
   )`,
})
