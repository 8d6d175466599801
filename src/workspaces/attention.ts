import type { Obstacle } from '../senders/availability.ts'
import type { AccountState, SenderOverview } from '../senders/overview.ts'
import type { StoppedTemplate } from '../templates/first-usable.ts'
import type { Endpoint } from '../webhooks/endpoints.ts'
import { keyState } from './key-state.ts'
import type { ListedKey } from './list-keys.ts'
import type { QuotaKind } from './quota.ts'
import type { Usage } from './usage.ts'

/** Something that somebody should look at. `now`: something does not work; `soon`: it will not. */
export type Attention = { urgency: 'now' | 'soon' } & (
  | { about: 'account'; wabaId: string; detail: string | null }
  | { about: 'sender'; phoneNumber: string; obstacle: Exclude<Obstacle, 'account'>; status: string }
  | { about: 'template'; accountId: string; name: string; language: string; status: string }
  | { about: 'endpoint'; endpointId: string; url: string; state: 'disabled' | 'failing'; since: Date }
  | { about: 'allowance'; kind: QuotaKind; runsOutAt: Date | null }
  | { about: 'key'; publicId: string; name: string; expiresAt: Date }
)

export type Facts = {
  accounts: readonly AccountState[]
  senders: readonly SenderOverview[]
  templates: readonly StoppedTemplate[]
  endpoints: readonly Endpoint[]
  usage: readonly Usage[]
  keys: readonly ListedKey[]
  now: Date
}

/** What does not work comes first. A sender is not told of whose account is: that is one cause, to be mended once. */
export function attentionOf(facts: Facts): Attention[] {
  const all = [
    ...accountsIn(facts),
    ...sendersIn(facts),
    ...allowancesIn(facts),
    ...endpointsIn(facts),
    ...templatesIn(facts),
    ...keysIn(facts),
  ]
  return [...all.filter(({ urgency }) => urgency === 'now'), ...all.filter(({ urgency }) => urgency === 'soon')]
}

const accountsIn = ({ accounts }: Facts): Attention[] =>
  accounts
    .filter(({ status }) => status === 'credentials_invalid')
    .map(({ wabaId, statusDetail: detail }) => ({ about: 'account', urgency: 'now', wabaId, detail }))

const sendersIn = ({ senders }: Facts): Attention[] =>
  senders.flatMap(({ phoneNumber, obstacle, status }) =>
    obstacle === null || obstacle === 'account'
      ? []
      : [{ about: 'sender' as const, urgency: 'now' as const, phoneNumber, obstacle, status }],
  )

const templatesIn = ({ templates }: Facts): Attention[] =>
  templates.map((template) => ({
    about: 'template',
    urgency: template.status === 'REJECTED' ? ('soon' as const) : ('now' as const),
    ...template,
  }))

const endpointsIn = ({ endpoints }: Facts): Attention[] =>
  endpoints.flatMap(({ endpointId, url, status, statusAt, failingSince }): Attention[] => {
    if (status === 'disabled') {
      return [{ about: 'endpoint', urgency: 'now', endpointId, url, state: 'disabled', since: statusAt }]
    }
    if (status !== 'enabled' || failingSince === null) return []
    return [{ about: 'endpoint', urgency: 'now', endpointId, url, state: 'failing', since: failingSince }]
  })

/** An allowance of zero is somebody's will. */
const allowancesIn = ({ usage }: Facts): Attention[] =>
  usage.flatMap(({ kind, monthlyUnits, forecast }): Attention[] => {
    if (monthlyUnits === 0) return []
    if (forecast.will === 'is_out') return [{ about: 'allowance', urgency: 'now', kind, runsOutAt: null }]
    if (forecast.will !== 'runs_out') return []
    return [{ about: 'allowance', urgency: 'soon', kind, runsOutAt: forecast.at }]
  })

/** A key that a rotation lets run out has a follower: one of the same name that goes on working. */
const keysIn = ({ keys, now }: Facts): Attention[] =>
  keys.flatMap((key): Attention[] => {
    const { publicId, name, expiresAt } = key
    if (expiresAt === null || keyState(key, now) !== 'expires_soon') return []
    const hasFollower = keys.some(
      (other) => other.name === name && other.createdAt > key.createdAt && keyState(other, now) === 'active',
    )
    return hasFollower ? [] : [{ about: 'key', urgency: 'soon', publicId, name, expiresAt }]
  })
