import { type CodedText, asWritten } from '../../locales/text.ts'
import { ApiError } from '../lib/errors.ts'
import type { TemplateComponent } from '../providers/provider.ts'
import { type SenderState, senderUnavailableReason } from './availability.ts'

/** A request that sends a template to a recipient. */
export type SendRequest = {
  workspaceId: string
  apiKeyId: string
  correlationId: string
  trace?: string | undefined
  idempotencyKey: string | null
  /** E.164 */
  recipient: string
  senderId: string
  template: { name: string; language: string }
}

export const sendTarget = ({ workspaceId, senderId, template: { name, language } }: SendRequest) => ({
  workspace_id: workspaceId,
  sender_id: senderId,
  name,
  language,
})

/** The prefix of the error codes. */
type Kind = 'OTP' | 'COD'

/** The state of the sender, the template and the recipients of requests. */
export type Sendable = SenderState & {
  /** False when the workspace has no such sender, or its account was removed: then nothing is known of one. */
  hasSender: boolean
  templateStatus: string | null
  templateCategory: string
  templateComponents: TemplateComponent[]
  /** Without the template: the approved ones of the needed category, those of the same name first; null without any. */
  otherTemplates: { name: string; language: string; hasName: boolean; total: number }[] | null
  /** Recipients of the requests that the workspace blocks. */
  blocked: string[]
}

const MAX_LISTED_TEMPLATES = 12

/** The category of the templates that each kind of request sends. */
const CATEGORIES = { OTP: 'AUTHENTICATION', COD: 'UTILITY' } as const

export const sendableColumns = (
  kind: Kind,
): string => `a.status is not null as "hasSender", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
          s.gone_at is not null as "senderGone", a.status as "accountStatus",
          t.status as "templateStatus", t.category as "templateCategory", t.components as "templateComponents",
          case when a.status is not null and t.status is null then (
            select jsonb_agg(jsonb_build_object('name', o.name, 'language', o.language, 'hasName', o.name = r.name, 'total', o.total)
              order by o.place)
            from (
              select name, language, count(*) over () as total,
                row_number() over (order by name <> r.name, name, language) as place
              from templates
              where workspace_id = r.workspace_id and account_id = s.account_id
                and category = '${CATEGORIES[kind]}' and status = 'APPROVED'
              order by place limit ${MAX_LISTED_TEMPLATES}) o) end as "otherTemplates"`

/** SQL: those of an array of recipients that the workspace of a request `r` blocks. */
export const blockedColumn = (recipients: string): string => `array (
            select b.phone from blocked_recipients b
            where b.workspace_id = r.workspace_id and b.phone = any (${recipients})) as blocked`

/**
 * Joins each request `r` to its sender, account and template by key: without statistics, other plans would join whole
 * tables.
 */
export const senderJoins = (senderId: string): string =>
  `left join senders s on s.workspace_id = r.workspace_id and s.id = ${senderId}
   left join lateral (
     select status, waba_id, graph_url, access_token from provider_accounts
     where workspace_id = r.workspace_id and id = s.account_id and status <> 'removed' limit 1) a on true
   left join lateral (
     select status, category, components from templates
     where workspace_id = r.workspace_id and account_id = s.account_id and name = r.name and language = r.language
     limit 1) t on true`

/** Checks 7 and 8 of docs/api.md#order-of-checks. */
export function missingError(kind: Kind, state: Sendable): ApiError | undefined {
  if (!state.hasSender) {
    return new ApiError(`${kind}_SENDER_NOT_FOUND`, { code: 'accounts.no_sender' })
  }
  if (state.templateStatus === null) {
    return new ApiError(`${kind}_TEMPLATE_NOT_FOUND`, noTemplate(CATEGORIES[kind], state.otherTemplates ?? []))
  }
  return undefined
}

function noTemplate(category: string, others: NonNullable<Sendable['otherTemplates']>): CodedText {
  const [first] = others
  if (!first) return { code: 'accounts.no_template', category }
  const languages = others.filter(({ hasName }) => hasName).map(({ language }) => asWritten(language))
  // A full list of its languages may lack some.
  if (first.hasName && languages.length < MAX_LISTED_TEMPLATES)
    return { code: 'accounts.other_languages', name: first.name, languages }
  const byName = Map.groupBy(others, ({ name }) => name)
  const templates = Array.from(byName, ([name, all]) =>
    asWritten(`${name} (${all.map(({ language }) => language).join(', ')})`),
  )
  const more = first.total - others.length
  return more === 0
    ? { code: 'accounts.other_templates', category, templates }
    : { code: 'accounts.more_templates', category, templates, more }
}

/** Check 11. */
export function unavailableError(kind: Kind, state: Sendable): ApiError | undefined {
  const reason = senderUnavailableReason(state)
  return reason === undefined ? undefined : new ApiError(`${kind}_SENDER_UNAVAILABLE`, reason)
}

/** Check 14. */
export const blockedError = (recipient: string, { blocked }: Sendable): ApiError | undefined =>
  blocked.includes(recipient) ? new ApiError('RECIPIENT_BLOCKED', { code: 'accounts.blocked' }) : undefined

export const templateOf = (state: Sendable) => ({
  status: state.templateStatus ?? '',
  category: state.templateCategory,
  components: state.templateComponents,
})
