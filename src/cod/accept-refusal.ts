import { type Sql, type Statement, statement } from '../db.ts'
import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import { SUBMISSION_WINDOW_MS } from '../messages/put.ts'
import type { Parts } from '../parts.ts'
import { sentences } from '../sentences.ts'
import type { GivenParameters } from '../templates/cod-parameters.ts'
import { type Accepting, type Committed, acceptingInGroups, withinQuota } from '../workspaces/accept-in-groups.ts'
import {
  PRECONDITION_COLUMNS,
  type Preconditions,
  preconditionJoins,
  preconditionVersionOf,
  refusalOf,
  templateContent,
  whatDoesNotFit,
} from './accept.ts'
import type { ConfirmationStatus } from './confirmation.ts'
import { canonicalParameters } from './parameters.ts'
import { REFUSAL_TAPS, writeReply } from './replies.ts'

export type RefusalCheckRequest = {
  workspaceId: string
  apiKeyId: string
  correlationId: string
  idempotencyKey: string | null
  confirmationId: string
  template: { name: string; language: string }
  parameters: GivenParameters
}

/** spec §2.6 */
export type RefusalCheckAcceptance = { confirmationId: string; refusalCheck: { status: 'accepted' } }

type AcceptParts = Pick<Parts, 'clock' | 'wake' | 'live'> & { db: Sql }

/** Accepts the refusal check of a confirmation: the key, the unit, the check and its first message commit together. */
export const refusalCheckAccepting = (
  parts: AcceptParts,
): ((request: RefusalCheckRequest) => Promise<RefusalCheckAcceptance>) =>
  acceptingInGroups(parts, acceptingRefusalChecks(), (workspaceIds) => {
    parts.wake('submit')
    parts.live.changed(workspaceIds)
  })

const acceptingRefusalChecks = (): Accepting<RefusalCheckRequest, Found, RefusalCheckAcceptance> => ({
  kind: 'cod_refusal',
  overQuota: 'COD_QUOTA_EXCEEDED',
  windowMs: SUBMISSION_WINDOW_MS,
  lookUp,
  asLookUp: (request) => ({
    workspace_id: request.workspaceId,
    key: request.idempotencyKey,
    confirmation_id: request.confirmationId,
    name: request.template.name,
    language: request.template.language,
  }),
  // Its sender is the confirmation's: no request is without a look-up.
  way: ({ workspaceId, template: { name, language } }, found) =>
    found && { workspace_id: workspaceId, sender_id: found.sender_id, name, language },
  decide,
  whatDoesNotFit: ({ parameters }, found) => whatDoesNotFit(parameters, found),
  row: refusalRow,
  insert: insertWithinQuota,
  accepted: ({ confirmationId }) => acceptance(confirmationId),
})

const acceptance = (confirmationId: string): RefusalCheckAcceptance => ({
  confirmationId,
  refusalCheck: { status: 'accepted' },
})

type Found = Preconditions & {
  n: number
  earlier_id: string | null
  earlier_name: string | null
  earlier_language: string | null
  earlier_parameters: GivenParameters | null
  confirmation_status: ConfirmationStatus | null
  check_exists: boolean
  sender_id: string
  recipient: string
}

const lookUp: Statement<Found> = statement(
  'look_up_refusal_check_requests',
  `select r.n,
          e.confirmation_id as earlier_id, e.template_name as earlier_name, e.template_language as earlier_language,
          e.parameters as earlier_parameters,
          c.status as confirmation_status, c.sender_id, c.recipient, f.confirmation_id is not null as check_exists,
          ${PRECONDITION_COLUMNS}, (${preconditionVersionOf('c.sender_id')}) as version
   from jsonb_to_recordset($1) as r (n int, workspace_id uuid, key text, confirmation_id uuid, name text, language text)
   left join lateral (
     select * from refusal_checks f where f.workspace_id = r.workspace_id and f.idempotency_key = r.key limit 1) e on true
   left join lateral (
     select * from confirmations c where c.workspace_id = r.workspace_id and c.id = r.confirmation_id limit 1) c on true
   left join lateral (
     select f.confirmation_id from refusal_checks f
     where f.workspace_id = r.workspace_id and f.confirmation_id = c.id limit 1) f on true
   ${preconditionJoins('c')}`,
)

function decide(request: RefusalCheckRequest, found: Found): RefusalCheckAcceptance | Refusal | undefined {
  if (found.earlier_id !== null) return repeat(request, found)
  if (found.confirmation_status === null) {
    return new Refusal('COD_CONFIRMATION_NOT_FOUND', noConfirmation)
  }
  if (found.confirmation_status === 'accepted' || found.confirmation_status === 'failed') {
    return new Refusal(
      'COD_CONFIRMATION_NOT_ELIGIBLE',
      found.confirmation_status === 'failed' ? says.failed : says.notSent,
    )
  }
  if (found.check_exists) return new Refusal('COD_REFUSAL_CHECK_EXISTS', says.exists)
  return refusalOf('refusal', request, found)
}

function repeat(request: RefusalCheckRequest, found: Found): RefusalCheckAcceptance | Refusal {
  const same =
    found.earlier_id === request.confirmationId &&
    found.earlier_name === request.template.name &&
    found.earlier_language === request.template.language &&
    canonicalParameters(found.earlier_parameters ?? {}) === canonicalParameters(request.parameters)
  if (same) return acceptance(request.confirmationId)
  return new Refusal('IDEMPOTENCY_KEY_REUSED', says.keyReused)
}

const says = sentences({
  noConfirmation: {
    en: 'No confirmation of this workspace has this id.',
    ar: 'لا يوجد في مساحة العمل هذه تأكيد بهذا المعرّف.',
  },
  failed: {
    en: 'The confirmation failed: there is no conversation to go on with.',
    ar: 'فشل التأكيد: لا محادثة تُستأنف.',
  },
  notSent: { en: 'The confirmation’s message was not sent yet.', ar: 'لم تُرسل رسالة التأكيد بعد.' },
  exists: { en: 'This confirmation has a refusal check already.', ar: 'لهذا التأكيد تحقق من الرفض من قبل.' },
  keyReused: {
    en: 'This Idempotency-Key was used for a refusal check of another confirmation, or with another template or other parameters.',
    ar: 'استُخدم مفتاح منع التكرار هذا للتحقق من رفض طلب آخر، أو بقالب آخر أو بقيم أخرى.',
  },
})

export const { noConfirmation } = says

function refusalRow(request: RefusalCheckRequest, found: Found) {
  const { confirmationId } = request
  const payloads = REFUSAL_TAPS.map((answer) => writeReply({ to: 'refusal', confirmationId, answer }))
  return {
    // A group may hold two requests for one confirmation: each is known by its message.
    id: newId(),
    confirmation_id: confirmationId,
    recipient: found.recipient,
    parameters: request.parameters,
    content: templateContent(request, found, payloads),
    key: request.idempotencyKey,
    correlation_id: request.correlationId,
    api_key_id: request.apiKeyId,
  }
}

const insertWithinQuota: Statement<Committed> = statement(
  'insert_refusal_checks_within_quota',
  withinQuota('cod_refusal', {
    columns: `confirmation_id uuid, parameters jsonb, content jsonb, correlation_id uuid, api_key_id text`,
    version: preconditionVersionOf('r.sender_id'),
    earlier: `select true as taken from refusal_checks e where e.workspace_id = w.workspace_id and e.idempotency_key = c.key`,
    inserts: `inserted as (
     insert into refusal_checks (confirmation_id, workspace_id, template_name, template_language, parameters,
       idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, asked_at, first_message_id)
     select confirmation_id, workspace_id, name, language, parameters,
       key, correlation_id, api_key_id, unit, created_at, 'accepted', due_at, id
     from admitted
     on conflict do nothing
     returning first_message_id as id, workspace_id, created_at
   ), first_messages as (
     insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
       template_name, template_language, created_at, status, priority, submit_by, due_at)
     select id, workspace_id, 'cod', sender_id, recipient, confirmation_id, 'refusal', 'template', content,
       name, language, created_at, 'queued', 1, submit_by, due_at
     from admitted
     where id = any (array (select id from inserted))
   )`,
  }),
)
