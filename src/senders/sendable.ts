import { Refusal } from '../errors.ts'
import type { TemplateComponent } from '../providers/provider.ts'
import { sentences } from '../sentences.ts'
import type { Way, WayFound } from '../workspaces/precedents.ts'
import { senderUnavailableReason } from './availability.ts'

/** A request that sends a template to a recipient. */
export type SendRequest = {
  workspaceId: string
  idempotencyKey: string | null
  /** E.164 */
  recipient: string
  senderId: string
  template: { name: string; language: string }
}

export const asSendLookUp = ({ workspaceId, idempotencyKey, senderId, template, recipient }: SendRequest) => ({
  workspace_id: workspaceId,
  key: idempotencyKey,
  sender_id: senderId,
  name: template.name,
  language: template.language,
  recipient,
})

export const wayOfSend = ({ workspaceId, senderId, template: { name, language } }: SendRequest): Way => ({
  workspace_id: workspaceId,
  sender_id: senderId,
  name,
  language,
})

/** What a look-up tells of the sender, template and recipient that a request names. */
export type Sendable = WayFound & {
  sender_found: boolean
  sender_status: string
  sender_paused: boolean
  sender_gone: boolean
  account_status: string
  template_status: string | null
  template_category: string
  template_components: TemplateComponent[]
  blocked: boolean
}

/** For a look-up of requests `r` with workspace_id, name and language; see sendableJoins. */
export const SENDABLE_COLUMNS = `s.id is not null as sender_found, s.status as sender_status, s.paused_at is not null as sender_paused,
          s.gone_at is not null as sender_gone, a.status as account_status,
          t.status as template_status, t.category as template_category, t.components as template_components,
          b.phone is not null as blocked,
          (select w.clock_offset_ms from workspaces w where w.id = r.workspace_id) as clock_offset_ms`

/**
 * `of` is where sender_id and recipient come from: the request, or what it names. Lateral, each part limited to one row of
 * one table: a look-up by key per request whatever the planner thinks of the tables. Of two tables in one part it may
 * read one whole for each request, with statistics from when they were nearly empty.
 */
export const sendableJoins = (of: string): string => `left join lateral (
     select * from senders s where s.workspace_id = r.workspace_id and s.id = ${of}.sender_id limit 1) s on true
   left join lateral (
     select a.status from provider_accounts a where a.workspace_id = r.workspace_id and a.id = s.account_id limit 1) a on true
   left join lateral (
     select * from templates t
     where t.workspace_id = r.workspace_id and t.account_id = s.account_id and t.name = r.name and t.language = r.language limit 1) t on true
   left join lateral (
     select b.phone from blocked_recipients b
     where b.workspace_id = r.workspace_id and b.phone = ${of}.recipient limit 1) b on true`

/**
 * Selects the version of a way `r` (WayFound): PostgreSQL's xmin of each of its rows, which every change makes another
 * one. `sender` is the sender's id; `more` is a row of the workspace's that a kind of request is judged by besides.
 */
export const versionOf = (sender: string, more?: { table: string }): string =>
  `select concat_ws(' ', s.xmin, a.xmin, t.xmin, w.xmin${more ? ', more.xmin' : ''}) as version
     from (
       select s.xmin, s.account_id from senders s where s.workspace_id = r.workspace_id and s.id = ${sender} limit 1) s
     cross join lateral (
       select a.xmin from provider_accounts a where a.workspace_id = r.workspace_id and a.id = s.account_id limit 1) a
     cross join lateral (
       select t.xmin from templates t
       where t.workspace_id = r.workspace_id and t.account_id = s.account_id and t.name = r.name and t.language = r.language limit 1) t
     cross join lateral (select w.xmin from workspaces w where w.id = r.workspace_id limit 1) w${
       more
         ? `
     cross join lateral (select xmin from ${more.table} where workspace_id = r.workspace_id limit 1) more`
         : ''
     }`

/** The prefix of the codes that a kind of request is refused with. */
type Kind = 'OTP' | 'COD'

/** Checks 7 and 8 of the contract's order (§2). */
export function whatIsMissing(kind: Kind, found: Sendable): Refusal | undefined {
  if (!found.sender_found) {
    return new Refusal(`${kind}_SENDER_NOT_FOUND`, says.noSender)
  }
  if (found.template_status === null) {
    return new Refusal(`${kind}_TEMPLATE_NOT_FOUND`, says.noTemplate)
  }
  return undefined
}

/** Check 11. */
export function whatIsUnavailable(kind: Kind, found: Sendable): Refusal | undefined {
  const reason = senderUnavailableReason({
    status: found.sender_status,
    paused: found.sender_paused,
    gone: found.sender_gone,
    accountStatus: found.account_status,
  })
  return reason === undefined ? undefined : new Refusal(`${kind}_SENDER_UNAVAILABLE`, reason)
}

/** Check 14. */
export const whoIsBlocked = ({ blocked }: Sendable): Refusal | undefined =>
  blocked ? new Refusal('RECIPIENT_BLOCKED', says.blocked) : undefined

const says = sentences({
  noSender: {
    en: 'No sender of this workspace has this senderId.',
    ar: 'لا يوجد في مساحة العمل هذه مرسل بهذا المعرّف.',
  },
  noTemplate: {
    en: 'The sender’s account has no template of exactly this name and language.',
    ar: 'ليس في حساب المرسل قالب بهذا الاسم وهذه اللغة تحديدًا.',
  },
  blocked: {
    en: 'The recipient is on this workspace’s list of blocked recipients.',
    ar: 'المستلم في قائمة المستلمين المحظورين في مساحة العمل هذه.',
  },
})

export const templateOf = (found: Sendable) => ({
  status: found.template_status ?? '',
  category: found.template_category,
  components: found.template_components,
})
