import { type Acceptance, type Decision, type Facts, createAcceptor } from '../accept/engine.ts'
import { blockedColumn, senderJoins } from '../accounts/sendable.ts'
import type { FilledParameters } from '../accounts/templates/cod-parameters.ts'
import { type Statement, statement } from '../lib/db/pool.ts'
import { isErased } from '../lib/phone/erased-recipient.ts'
import { ApiError } from '../lib/errors.ts'
import { SUBMISSION_WINDOW_MS } from '../messages/submission-window.ts'
import {
  type AcceptParts,
  type CheckRequest,
  type EarlierRequest,
  PRECONDITION_COLUMNS,
  type Preconditions,
  announceTo,
  checkRow,
  fillTemplate,
  hasSameContent,
  insertChecks,
  workspaceJoins,
} from './accept.ts'
import type { ConfirmationStatus } from './conversation/confirmation.ts'
import { REFUSAL_TAPS, encodeReply } from './conversation/replies.ts'

export type RefusalCheckRequest = CheckRequest & { confirmationId: string }

export type RefusalCheckAcceptance = { confirmationId: string; refusalCheck: { status: 'accepted' } }

/** Accepts the refusal check of a confirmation: the key, the unit, the check and its first message commit together. */
export const createRefusalCheckAcceptor = (parts: AcceptParts) => createAcceptor(parts, acceptance, announceTo(parts))

type EarlierCheck = EarlierRequest & { confirmationId: string }

type CheckFacts = Facts &
  Preconditions & {
    earlier: EarlierCheck[] | null
    confirmationStatus: ConfirmationStatus | null
    checkExists: boolean
    senderId: string
    recipient: string
  }

const lookUp: Statement<CheckFacts> = statement(
  'look_up_refusal_check_requests',
  `select ${PRECONDITION_COLUMNS},
          c.status as "confirmationStatus", c.sender_id as "senderId", c.recipient,
          f.confirmation_id is not null as "checkExists",
          ${blockedColumn('array[c.recipient]')},
          (select jsonb_agg(e) from unnest(r.keys) as key cross join lateral (
            select confirmation_id as "confirmationId", idempotency_key as "idempotencyKey", template_name as "templateName",
              template_language as "templateLanguage", parameters
            from refusal_checks where workspace_id = r.workspace_id and idempotency_key = key limit 1) e) as earlier
   from jsonb_to_recordset($1) as r (
     n int, workspace_id uuid, confirmation_id uuid, name text, language text, keys text[])
   ${workspaceJoins('cod_refusal')}
   left join confirmations c on c.workspace_id = r.workspace_id and c.id = r.confirmation_id
   left join refusal_checks f on f.workspace_id = r.workspace_id and f.confirmation_id = r.confirmation_id
   ${senderJoins('c.sender_id')}`,
)

function decide(request: RefusalCheckRequest, facts: CheckFacts): Decision<RefusalCheckAcceptance> {
  const earlier = facts.earlier?.find(({ idempotencyKey }) => idempotencyKey === request.idempotencyKey)
  if (earlier) return answerRepeat(request, earlier)
  const status = facts.confirmationStatus
  if (status === null) return confirmationNotFound()
  if (isErased(facts.recipient)) return new ApiError('COD_CONFIRMATION_NOT_ELIGIBLE', { code: 'cod.recipient_erased' })
  if (status === 'accepted') return new ApiError('COD_CONFIRMATION_NOT_ELIGIBLE', { code: 'cod.not_sent' })
  if (status === 'failed') return new ApiError('COD_CONFIRMATION_NOT_ELIGIBLE', { code: 'cod.failed' })
  if (facts.checkExists) return new ApiError('COD_REFUSAL_CHECK_EXISTS', { code: 'cod.exists' })
  const filled = fillTemplate('refusal', { ...request, recipient: facts.recipient }, facts)
  return filled instanceof ApiError ? filled : (id) => refusalRow(request, facts, filled, id)
}

export const confirmationNotFound = (): ApiError =>
  new ApiError('COD_CONFIRMATION_NOT_FOUND', { code: 'cod.accept_refusal_no_confirmation' })

const answerRepeat = (request: RefusalCheckRequest, earlier: EarlierCheck): RefusalCheckAcceptance | ApiError =>
  earlier.confirmationId === request.confirmationId && hasSameContent(request, earlier, earlier.confirmationId)
    ? accepted(request)
    : new ApiError('IDEMPOTENCY_KEY_REUSED', { code: 'cod.accept_refusal_key_reused' })

const accepted = ({ confirmationId }: RefusalCheckRequest): RefusalCheckAcceptance => ({
  confirmationId,
  refusalCheck: { status: 'accepted' },
})

const refusalRow = (request: RefusalCheckRequest, facts: CheckFacts, filled: FilledParameters, id: string) => ({
  ...checkRow(
    request,
    filled,
    REFUSAL_TAPS.map((answer) => encodeReply({ to: 'refusal', confirmationId: request.confirmationId, answer })),
  ),
  // A group may hold two requests for one confirmation: each is known by its message.
  id,
  confirmation_id: request.confirmationId,
  sender_id: facts.senderId,
  recipient: facts.recipient,
})

/**
 * Only while the confirmation still has the number of the look-up. If an erasure has changed it since, no row is inserted, and
 * the next look-up sees the erasure. Ordered, so that groups of several nodes cannot deadlock.
 */
const insert: Statement<{ id: string }> = statement(
  'insert_refusal_checks_within_quota',
  insertChecks('cod_refusal', {
    columns: 'confirmation_id uuid',
    inserted: `insert into refusal_checks (confirmation_id, workspace_id, template_name, template_language, parameters,
       idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, asked_at, first_message_id)
     select confirmation_id, workspace_id, name, language, parameters,
       key, correlation_id, api_key_id, unit, created_at, 'accepted', $2, id
     from (select * from numbered where unit <= monthly_units order by confirmation_id) n
     cross join lateral (
       select from confirmations c
       where c.workspace_id = n.workspace_id and c.id = n.confirmation_id and c.recipient = n.recipient limit 1
       for key share) unerased
     on conflict do nothing
     returning first_message_id as id, workspace_id`,
    message: `id, workspace_id, 'cod', sender_id, recipient, confirmation_id, 'refusal'`,
  }),
)

const acceptance: Acceptance<RefusalCheckRequest, CheckFacts, RefusalCheckAcceptance> = {
  quota: 'cod_refusal',
  overQuota: 'COD_QUOTA_EXCEEDED',
  windowMs: SUBMISSION_WINDOW_MS,
  target: ({ workspaceId, confirmationId, template: { name, language } }) => ({
    workspace_id: workspaceId,
    confirmation_id: confirmationId,
    name,
    language,
  }),
  lookUp,
  decide,
  insert,
  accepted,
}
