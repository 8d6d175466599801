import { type Sql, type Statement, statement } from '../db.ts'
import { Refusal } from '../errors.ts'
import { newId } from '../ids.ts'
import { SUBMISSION_WINDOW_MS } from '../messages/put.ts'
import type { Parts } from '../parts.ts'
import type { TemplateContent } from '../providers/provider.ts'
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
import { type Sentence, joined, sentences } from '../sentences.ts'
import { type FilledParameters, type GivenParameters, checkParameters } from '../templates/cod-parameters.ts'
import { type CodCheck, codUnusableReason } from '../templates/cod-usability.ts'
import { type Accepting, type Committed, acceptingInGroups, withinQuota } from '../workspaces/accept-in-groups.ts'
import { canonicalParameters } from './parameters.ts'
import { CONFIRMATION_TAPS, writeReply } from './replies.ts'

export type ConfirmationRequest = SendRequest & {
  apiKeyId: string
  correlationId: string
  parameters: GivenParameters
  reference: string
}

/** spec §2.4 */
export type ConfirmationAcceptance = { confirmationId: string; status: 'accepted'; reference: string }

type AcceptParts = Pick<Parts, 'clock' | 'wake' | 'live'> & { db: Sql }

/** Accepts a confirmation: the key, the unit, the confirmation and its first message commit together. */
export const confirmationAccepting = (
  parts: AcceptParts,
): ((request: ConfirmationRequest) => Promise<ConfirmationAcceptance>) =>
  acceptingInGroups(parts, acceptingConfirmations(), (workspaceIds) => {
    parts.wake('submit')
    parts.live.changed(workspaceIds)
  })

const acceptingConfirmations = (): Accepting<ConfirmationRequest, Found, ConfirmationAcceptance> => ({
  kind: 'cod_confirmation',
  overQuota: 'COD_QUOTA_EXCEEDED',
  windowMs: SUBMISSION_WINDOW_MS,
  lookUp,
  asLookUp: asSendLookUp,
  way: wayOfSend,
  decide,
  whatDoesNotFit: ({ parameters }, found) => whatDoesNotFit(parameters, found),
  row: confirmationRow,
  insert: insertWithinQuota,
  accepted: (request, confirmationId) => ({ confirmationId, status: 'accepted', reference: request.reference }),
})

/** What must hold of sender, template and settings before a check may start, as one row of a look-up tells it. */
export type Preconditions = Sendable & { configured: boolean; language_configured: boolean }

/** For a look-up of requests `r` with workspace_id, name and language. */
export const PRECONDITION_COLUMNS = `${SENDABLE_COLUMNS},
          cs.workspace_id is not null as configured, coalesce(cs.language_configured, false) as language_configured`

/** The version of a way `r` (Way); `sender` is the sender's id. */
export const preconditionVersionOf = (sender: string): string => versionOf(sender, { table: 'cod_settings' })

/** `of` is where sender_id and recipient come from: the request, or the confirmation that it names. */
export const preconditionJoins = (of: string): string => `${sendableJoins(of)}
   left join lateral (
     select cs.workspace_id, cs.document -> 'languages' ? r.language as language_configured from cod_settings cs
     where cs.workspace_id = r.workspace_id limit 1) cs on true`

type Found = Preconditions & {
  n: number
  earlier_id: string | null
  earlier_recipient: string | null
  earlier_sender_id: string | null
  earlier_name: string | null
  earlier_language: string | null
  earlier_reference: string | null
  earlier_parameters: GivenParameters | null
}

const lookUp: Statement<Found> = statement(
  'look_up_confirmation_requests',
  `select r.n,
          e.id as earlier_id, e.recipient as earlier_recipient, e.sender_id as earlier_sender_id, e.template_name as earlier_name,
          e.template_language as earlier_language, e.reference as earlier_reference, e.parameters as earlier_parameters,
          ${PRECONDITION_COLUMNS}, (${preconditionVersionOf('r.sender_id')}) as version
   from jsonb_to_recordset($1) as r (n int, workspace_id uuid, key text, sender_id uuid, name text, language text, recipient text)
   left join lateral (
     select * from confirmations c where c.workspace_id = r.workspace_id and c.idempotency_key = r.key limit 1) e on true
   ${preconditionJoins('r')}`,
)

function decide(request: ConfirmationRequest, found: Found): ConfirmationAcceptance | Refusal | undefined {
  if (found.earlier_id !== null) return repeat(request, found, found.earlier_id)
  return refusalOf('confirmation', request, found)
}

/** The contract's order from the sender on: existence, settings, state, content (§2). */
export function refusalOf(
  check: CodCheck,
  { parameters }: { parameters: GivenParameters },
  found: Preconditions,
): Refusal | undefined {
  return (
    whatIsMissing('COD', found) ??
    whatIsNotConfigured(found) ??
    whatIsUnavailable('COD', found) ??
    whatIsUnusable(check, found) ??
    whatDoesNotFit(parameters, found) ??
    whoIsBlocked(found)
  )
}

function whatIsNotConfigured({ configured, language_configured }: Preconditions): Refusal | undefined {
  if (!configured) return new Refusal('COD_NOT_CONFIGURED', says.notConfigured)
  if (language_configured) return undefined
  return new Refusal('COD_LANGUAGE_NOT_CONFIGURED', says.noTexts)
}

function whatIsUnusable(check: CodCheck, found: Preconditions): Refusal | undefined {
  const reason = codUnusableReason(templateOf(found), check)
  return reason === undefined ? undefined : new Refusal('COD_TEMPLATE_NOT_USABLE', reason)
}

export function whatDoesNotFit(parameters: GivenParameters, found: Preconditions): Refusal | undefined {
  const checked = checkParameters(templateOf(found), parameters)
  if (!('faults' in checked)) return undefined
  return new Refusal('COD_TEMPLATE_PARAMETERS_INVALID', says.faulty({ faults: joined(checked.faults, AND) }))
}

/** Every field is compared, after normalisation (spec §4.4). */
function repeat(request: ConfirmationRequest, found: Found, confirmationId: string): ConfirmationAcceptance | Refusal {
  const same =
    found.earlier_recipient === request.recipient &&
    found.earlier_sender_id === request.senderId &&
    found.earlier_name === request.template.name &&
    found.earlier_language === request.template.language &&
    found.earlier_reference === request.reference &&
    canonicalParameters(found.earlier_parameters ?? {}) === canonicalParameters(request.parameters)
  if (same) return { confirmationId, status: 'accepted', reference: request.reference }
  return new Refusal('IDEMPOTENCY_KEY_REUSED', says.keyReused)
}

const AND: Sentence = { en: '; ', ar: '؛ ' }

const says = sentences({
  notConfigured: {
    en: 'The workspace’s delivery time zone is not set.',
    ar: 'لم تُحدَّد المنطقة الزمنية للتوصيل في مساحة العمل.',
  },
  noTexts: {
    en: 'The workspace has no follow-up texts for the template’s language.',
    ar: 'ليس في مساحة العمل نصوص متابعة بلغة القالب.',
  },
  faulty: { en: '{faults}.', ar: '{faults}.' },
  keyReused: {
    en: 'This Idempotency-Key was used for a request with another recipient, sender, template, reference or other parameters.',
    ar: 'استُخدم مفتاح منع التكرار هذا لطلب بمستلم أو مرسل أو قالب أو مرجع آخر أو بقيم أخرى.',
  },
})

/** The template as it goes out, each quick reply with what it means. */
export function templateContent(
  { template, parameters }: Pick<ConfirmationRequest, 'template' | 'parameters'>,
  found: Preconditions,
  payloads: string[],
): TemplateContent {
  const checked = checkParameters(templateOf(found), parameters)
  const filled: FilledParameters = 'filled' in checked ? checked.filled : { header: null, body: [] }
  return { type: 'template', name: template.name, language: template.language, ...filled, payloads }
}

function confirmationRow(request: ConfirmationRequest, found: Found) {
  const id = newId()
  const payloads = CONFIRMATION_TAPS.map((answer) => writeReply({ to: 'confirmation', confirmationId: id, answer }))
  return {
    id,
    recipient: request.recipient,
    parameters: request.parameters,
    content: templateContent(request, found, payloads),
    reference: request.reference,
    key: request.idempotencyKey,
    correlation_id: request.correlationId,
    api_key_id: request.apiKeyId,
    message_id: newId(),
  }
}

const insertWithinQuota: Statement<Committed> = statement(
  'insert_confirmations_within_quota',
  withinQuota('cod_confirmation', {
    columns: `parameters jsonb, content jsonb, reference text, correlation_id uuid, api_key_id text, message_id uuid`,
    version: preconditionVersionOf('r.sender_id'),
    earlier: `select true as taken from confirmations e where e.workspace_id = w.workspace_id and e.idempotency_key = c.key`,
    inserts: `inserted as (
     insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters,
       reference, idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, asked_at)
     select id, workspace_id, sender_id, recipient, name, language, parameters,
       reference, key, correlation_id, api_key_id, unit, created_at, 'accepted', due_at
     from admitted
     on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing
     returning id, workspace_id, created_at
   ), first_messages as (
     insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
       template_name, template_language, created_at, status, priority, submit_by, due_at)
     select message_id, workspace_id, 'cod', sender_id, recipient, id, 'confirmation', 'template', content,
       name, language, created_at, 'queued', 1, submit_by, due_at
     from admitted
     where id = any (array (select id from inserted))
   )`,
  }),
)
