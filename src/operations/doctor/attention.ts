import type { CodedText } from '../../../locales/text.ts'
import type { SenderObstacle } from '../../accounts/availability.ts'
import type { AccountState } from '../../accounts/accounts.ts'
import type { Sender } from '../../accounts/senders.ts'
import type { StoppedTemplate } from '../../accounts/templates/stored.ts'
import type { CheckCounts } from '../../otp/verifications/limits.ts'
import type { PumpedPrefix } from '../../otp/verifications/pumped.ts'
import type { Endpoint } from '../../webhooks/endpoints.ts'
import { type ListedKey, keyState } from '../../workspaces/keys/manage-keys.ts'
import type { QuotaKind } from '../../workspaces/quota.ts'
import type { Usage } from '../../charts/usage.ts'
import { FINDINGS, type Level } from './finding.ts'

const { setup: LEVELS, quarantine: QUARANTINE } = FINDINGS

/** A problem to fix, with the level that `doctor` gives it. */
export type Attention = { level: Exclude<Level, 'ok'> } & (
  | { about: 'account'; wabaId: string; detail: CodedText | null; status: Exclude<AccountState['status'], 'connected'> }
  | {
      about: 'sender'
      phoneNumber: string
      obstacle: Exclude<SenderObstacle, 'account' | 'unreadable'>
      status: string
    }
  | { about: 'template'; accountId: string; name: string; language: string; status: string }
  | { about: 'endpoint'; endpointId: string; url: string; state: 'disabled' | 'failing'; since: Date }
  | { about: 'quota'; kind: QuotaKind; runsOutAt: Date | null }
  | { about: 'quarantine'; count: number }
  | ({ about: 'pumping' } & PumpedPrefix)
  | ({ about: 'guessing' } & CheckCounts)
  | { about: 'key'; publicId: string; name: string; expiresAt: Date }
)

export type AttentionFacts = {
  accounts: readonly AccountState[]
  senders: readonly Sender[]
  templates: readonly StoppedTemplate[]
  endpoints: readonly Endpoint[]
  usage: readonly Usage[]
  keys: readonly ListedKey[]
  /** How many jobs failed on every try and wait for an operator. */
  quarantined: number
  /** Prefixes whose verifications are rejected. */
  pumped: readonly PumpedPrefix[]
  /** Why verifications of all recipients are rejected. */
  guessing: CheckCounts | undefined
  now: Date
}

/** Failures first. */
export function attentionItems(facts: AttentionFacts): Attention[] {
  const { accounts, senders, templates, endpoints, usage, keys, quarantined, pumped, guessing, now } = facts
  const items: Attention[] = []
  for (const { wabaId, status, statusDetail: detail } of accounts)
    if (status !== 'connected') items.push({ about: 'account', level: LEVELS.account_rejected, wabaId, detail, status })
  if (quarantined > 0) items.push({ about: 'quarantine', level: QUARANTINE.quarantined, count: quarantined })
  if (guessing) items.push({ about: 'guessing', level: LEVELS.verifications_guessed, ...guessing })
  for (const prefix of pumped) items.push({ about: 'pumping', level: LEVELS.verifications_pumped, ...prefix })
  // Senders of a broken account are left out, because the account is the one cause.
  for (const { phoneNumber, obstacle, status } of senders)
    if (obstacle !== null && obstacle !== 'account' && obstacle !== 'unreadable') {
      const level = obstacle === 'paused' ? LEVELS.sender_paused : LEVELS.sender_unusable
      items.push({ about: 'sender', level, phoneNumber, obstacle, status })
    }
  for (const { kind, monthlyUnits, forecast } of usage) {
    if (monthlyUnits === 0) continue // intended
    if (forecast.will === 'is_out') items.push({ about: 'quota', level: LEVELS.quota_used_up, kind, runsOutAt: null })
    if (forecast.will === 'runs_out') items.push({ about: 'quota', level: 'warning', kind, runsOutAt: forecast.at })
  }
  for (const { endpointId, url, status, statusAt, failingSince } of endpoints) {
    const endpoint = { about: 'endpoint', endpointId, url } as const
    if (status === 'disabled')
      items.push({ ...endpoint, level: LEVELS.endpoint_disabled, state: 'disabled', since: statusAt })
    if (status === 'enabled' && failingSince)
      items.push({ ...endpoint, level: LEVELS.endpoint_failing, state: 'failing', since: failingSince })
  }
  for (const template of templates) {
    const level = template.status === 'DISABLED' ? LEVELS.template_disabled : LEVELS.template_stopped
    items.push({ about: 'template', level, ...template })
  }
  for (const { publicId, name, createdAt, expiresAt } of keys.filter((key) => keyState(key, now) === 'expires_soon')) {
    // A rotated key may expire: it has a newer, active key with the same name.
    const hasSuccessor = keys.some(
      (other) => other.name === name && other.createdAt > createdAt && keyState(other, now) === 'active',
    )
    if (expiresAt && !hasSuccessor) items.push({ about: 'key', level: 'warning', publicId, name, expiresAt })
  }
  return items.toSorted((one, other) => Number(other.level === 'failure') - Number(one.level === 'failure'))
}
