import { type CodedText, asWritten, chained } from '../../locales/text.ts'
import {
  type Acceptance,
  type Decision,
  FACT_COLUMNS,
  type Facts,
  createAcceptor,
  factJoins,
} from '../accept/engine.ts'
import { insertWithinQuota } from '../accept/within-quota.ts'
import {
  sendableColumns,
  type SendRequest,
  type Sendable,
  blockedColumn,
  senderJoins,
  blockedError,
  missingError,
  unavailableError,
  sendTarget,
  templateOf,
} from '../accounts/sendable.ts'
import { type FilledParameters, type RequestParameters, checkParameters } from '../accounts/templates/cod-parameters.ts'
import { type CodCheck, codUnusableReason } from '../accounts/templates/usability.ts'
import { type Sql, type Statement, statement } from '../lib/db/pool.ts'
import { ApiError } from '../lib/errors.ts'
import { MAX_FAULTS } from '../lib/http/faults.ts'
import { newId } from '../lib/ids.ts'
import { SUBMISSION_WINDOW_MS } from '../messages/submission-window.ts'
import type { Parts } from '../runtime/parts.ts'
import type { TemplateContent } from '../providers/provider.ts'
import type { QuotaKind } from '../workspaces/quota.ts'
import { type StoredParameters, hasSameParameters } from './parameters.ts'
import { CONFIRMATION_TAPS, encodeReply } from './conversation/replies.ts'

/** The fields that requests of both checks share. */
export type CheckRequest = Omit<SendRequest, 'recipient' | 'senderId'> & { parameters: RequestParameters }

export type ConfirmationRequest = CheckRequest & SendRequest & { reference: string }

export type ConfirmationAcceptance = { confirmationId: string; status: 'accepted'; reference: string }

export type AcceptParts = Pick<Parts, 'clock' | 'wake' | 'live' | 'tracer' | 'fairShare'> & { db: Sql }

/** Accepts a confirmation: the key, the unit, the confirmation and its first message commit together. */
export const createConfirmationAcceptor = (parts: AcceptParts) => createAcceptor(parts, acceptance, announceTo(parts))

export const announceTo =
  ({ wake, live }: AcceptParts) =>
  (workspaceIds: readonly string[]): void => {
    wake('submit')
    live.changed(workspaceIds)
  }

/** What must hold of sender, template and settings before a check may start. */
export type Preconditions = Sendable & {
  configured: boolean
  languageConfigured: boolean | null
  /** The languages of the settings when that of the template is not one of them. */
  otherLanguages: string[] | null
}

type StoredContent = { templateName: string; templateLanguage: string; parameters: StoredParameters }

export type EarlierRequest = StoredContent & { idempotencyKey: string }

type EarlierConfirmation = EarlierRequest & { id: string; recipient: string; senderId: string; reference: string }

type ConfirmationFacts = Facts & Preconditions & { earlier: EarlierConfirmation[] | null }

export const PRECONDITION_COLUMNS = `${FACT_COLUMNS}, ${sendableColumns('COD')},
          cs.workspace_id is not null as configured, cs.document -> 'languages' ? r.language as "languageConfigured",
          case when not cs.document -> 'languages' ? r.language
            then array (select jsonb_object_keys(cs.document -> 'languages')) end as "otherLanguages"`

/** Each of the requests `r` with its workspace, quota and settings. */
export const workspaceJoins = (quota: QuotaKind): string =>
  `${factJoins(quota)}
   left join cod_settings cs on cs.workspace_id = r.workspace_id`

const lookUp: Statement<ConfirmationFacts> = statement(
  'look_up_confirmation_requests',
  `select ${PRECONDITION_COLUMNS},
          ${blockedColumn('r.recipients')},
          (select jsonb_agg(e) from unnest(r.keys) as key cross join lateral (
            select id, idempotency_key as "idempotencyKey", recipient, sender_id as "senderId",
              template_name as "templateName", template_language as "templateLanguage", reference, parameters
            from confirmations where workspace_id = r.workspace_id and idempotency_key = key limit 1) e) as earlier
   from jsonb_to_recordset($1) as r (
     n int, workspace_id uuid, sender_id uuid, name text, language text, keys text[], recipients text[])
   ${workspaceJoins('cod_confirmation')}
   ${senderJoins('r.sender_id')}`,
)

function decide(request: ConfirmationRequest, facts: ConfirmationFacts): Decision<ConfirmationAcceptance> {
  const earlier = facts.earlier?.find(({ idempotencyKey }) => idempotencyKey === request.idempotencyKey)
  if (earlier) return answerRepeat(request, earlier)
  const filled = fillTemplate('confirmation', request, facts)
  return filled instanceof ApiError ? filled : (id) => confirmationRow(request, filled, id)
}

/** The order of docs/api.md#order-of-checks, from the sender on. */
export function fillTemplate(
  check: CodCheck,
  { recipient, template, parameters }: { recipient: string } & Pick<CheckRequest, 'template' | 'parameters'>,
  facts: Preconditions,
): FilledParameters | ApiError {
  const error =
    missingError('COD', facts) ??
    missingSettings(template.language, facts) ??
    unavailableError('COD', facts) ??
    unusableTemplate(check, facts)
  if (error) return error
  const checked = checkParameters(templateOf(facts), parameters)
  if ('faults' in checked) return invalidParameters(checked.faults)
  return blockedError(recipient, facts) ?? checked.filled
}

function missingSettings(
  language: string,
  { configured, languageConfigured, otherLanguages }: Preconditions,
): ApiError | undefined {
  if (!configured) return new ApiError('COD_NOT_CONFIGURED', { code: 'cod.not_configured' })
  if (languageConfigured) return undefined
  return new ApiError('COD_LANGUAGE_NOT_CONFIGURED', {
    code: 'cod.no_texts',
    language,
    languages: (otherLanguages ?? []).toSorted().map(asWritten),
  })
}

function unusableTemplate(check: CodCheck, facts: Preconditions): ApiError | undefined {
  const reason = codUnusableReason(templateOf(facts), check)
  return reason === undefined ? undefined : new ApiError('COD_TEMPLATE_NOT_USABLE', reason)
}

const invalidParameters = (faults: CodedText[]): ApiError =>
  new ApiError('COD_TEMPLATE_PARAMETERS_INVALID', {
    code: 'cod.faulty',
    faults: chained('words.semicolon', faults.slice(0, MAX_FAULTS)),
  })

/** Every field is compared, after normalisation (docs/api.md#idempotency). */
function answerRepeat(request: ConfirmationRequest, earlier: EarlierConfirmation): ConfirmationAcceptance | ApiError {
  const isSame =
    earlier.recipient === request.recipient &&
    earlier.senderId === request.senderId &&
    earlier.reference === request.reference &&
    hasSameContent(request, earlier, earlier.id)
  return isSame
    ? accepted(request, earlier.id)
    : new ApiError('IDEMPOTENCY_KEY_REUSED', { code: 'cod.accept_key_reused' })
}

const accepted = ({ reference }: ConfirmationRequest, confirmationId: string): ConfirmationAcceptance => ({
  confirmationId,
  status: 'accepted',
  reference,
})

type Content = Pick<CheckRequest, 'template' | 'parameters'>

export const hasSameContent = (
  { template, parameters }: Content,
  earlier: StoredContent,
  confirmationId: string,
): boolean =>
  earlier.templateName === template.name &&
  earlier.templateLanguage === template.language &&
  hasSameParameters(confirmationId, earlier.parameters, parameters)

/** What the rows of both checks have in common. Each quick reply of the template has its payload. */
export function checkRow(request: CheckRequest, filled: FilledParameters, payloads: string[]) {
  const { name, language } = request.template
  return {
    name,
    language,
    parameters: request.parameters,
    content: { type: 'template', name, language, ...filled, payloads } satisfies TemplateContent,
    key: request.idempotencyKey,
    correlation_id: request.correlationId,
    api_key_id: request.apiKeyId,
  }
}

const confirmationRow = (request: ConfirmationRequest, filled: FilledParameters, id: string) => ({
  ...checkRow(
    request,
    filled,
    CONFIRMATION_TAPS.map((answer) => encodeReply({ to: 'confirmation', confirmationId: id, answer })),
  ),
  id,
  message_id: newId(),
  sender_id: request.senderId,
  recipient: request.recipient,
  reference: request.reference,
})

type Insertion = { columns: string; inserted: string; message: string }

/** Inserts checks by `inserted`, as long as their quota has units, with their first messages. */
export const insertChecks = (quota: QuotaKind, { columns, inserted, message }: Insertion): string =>
  insertWithinQuota(quota, {
    columns: `id uuid, sender_id uuid, recipient text, name text, language text, parameters jsonb, content jsonb,
       key text, correlation_id uuid, api_key_id text, ${columns}`,
    inserted: `inserted as (
     ${inserted}
   ), first_messages as (
     insert into messages (id, workspace_id, kind, sender_id, recipient, confirmation_id, check_kind, purpose, content,
       template_name, template_language, created_at, status, priority, due_at, submit_by)
     select ${message}, 'template', content,
       name, language, created_at, 'queued', 1, $2, $3
     -- "is true": as a join, each row would be compared with all others
     from numbered where (id in (select id from inserted)) is true
   )`,
  })

const insert: Statement<{ id: string }> = statement(
  'insert_confirmations_within_quota',
  insertChecks('cod_confirmation', {
    columns: 'reference text, message_id uuid',
    inserted: `insert into confirmations (id, workspace_id, sender_id, recipient, template_name, template_language, parameters,
       reference, idempotency_key, correlation_id, api_key_id, quota_unit, created_at, status, asked_at)
     select id, workspace_id, sender_id, recipient, name, language, parameters,
       reference, key, correlation_id, api_key_id, unit, created_at, 'accepted', $2
     from numbered where unit <= monthly_units
     on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing
     returning id, workspace_id`,
    message: `message_id, workspace_id, 'cod', sender_id, recipient, id, 'confirmation'`,
  }),
)

const acceptance: Acceptance<ConfirmationRequest, ConfirmationFacts, ConfirmationAcceptance> = {
  quota: 'cod_confirmation',
  overQuota: 'COD_QUOTA_EXCEEDED',
  windowMs: SUBMISSION_WINDOW_MS,
  target: sendTarget,
  lookUp,
  decide,
  insert,
  accepted,
}
