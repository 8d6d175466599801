import { ApiError } from '../errors.ts'
import type { TemplateComponent } from '../providers/provider.ts'
import { type SenderState, senderUnavailableReason } from './availability.ts'

/** A request that sends a template to a recipient. */
export type SendRequest = {
  workspaceId: string
  apiKeyId: string
  correlationId: string
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

/** The state of the sender, the template and the recipients of requests. */
export type Sendable = SenderState & {
  /** False when the workspace has no such sender, or its account was removed: then nothing is known of one. */
  hasSender: boolean
  templateStatus: string | null
  templateCategory: string
  templateComponents: TemplateComponent[]
  /** Recipients of the requests that the workspace blocks. */
  blocked: string[]
}

export const SENDABLE_COLUMNS = `a.status is not null as "hasSender", s.status as "senderStatus", s.paused_at is not null as "senderPaused",
          s.gone_at is not null as "senderGone", a.status as "accountStatus",
          t.status as "templateStatus", t.category as "templateCategory", t.components as "templateComponents"`

/**
 * Joins each request `r` to its sender, account and template by key: without statistics, other plans would join whole
 * tables.
 */
export const senderJoins = (senderId: string): string =>
  `left join senders s on s.workspace_id = r.workspace_id and s.id = ${senderId}
   left join lateral (
     select status from provider_accounts
     where workspace_id = r.workspace_id and id = s.account_id and status <> 'removed' limit 1) a on true
   left join lateral (
     select status, category, components from templates
     where workspace_id = r.workspace_id and account_id = s.account_id and name = r.name and language = r.language
     limit 1) t on true`

/** The prefix of the error codes. */
type Kind = 'OTP' | 'COD'

/** Checks 7 and 8 of docs/api.md#order-of-checks. */
export function missingError(kind: Kind, state: Sendable): ApiError | undefined {
  if (!state.hasSender) {
    return new ApiError(`${kind}_SENDER_NOT_FOUND`, { code: 'accounts.no_sender' })
  }
  if (state.templateStatus === null) {
    return new ApiError(`${kind}_TEMPLATE_NOT_FOUND`, { code: 'accounts.no_template' })
  }
  return undefined
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
