import type { CodedText } from '../../../locales/text.ts'
import { hookOfKeyId } from '../../otp/hooks/hooks.ts'
import type { Provider } from '../../providers/provider.ts'
import { DASHBOARD_KEY_ID } from '../../workspaces/keys/keys.ts'
import type { QuotaKind } from '../../workspaces/quota.ts'

/** Each kind of difference has a text. `id`: the row that differs from what other rows say. */
export type Difference = Extract<CodedText, { code: `verify.${string}` }> & { id: string }
/** What a check finds, one by one. */
export type Differences<Result = void> = Generator<Difference, Result>

/** `verifiable` is false if the facts that decide were removed. */
export type UnitResult = {
  kind: 'messages' | 'confirmations' | 'events' | 'months' | 'days'
  id: string
  differences: Difference[]
  verifiable: boolean
  /** The unit that it took from the quota, and when. */
  used?: { kind: QuotaKind; at: Date } | false
}

/** Units to read, by id. */
export type Page = { workspaceId: string; after: string; limit: number; provider: Provider }

/** The most facts of one kind per unit. A unit with more is not verified. */
export const MAX_FACTS = 200

/** The API key or auth hook of a row, or null if the row's workspace has it. */
export const unknownKeyOf = (row: string): string =>
  `(select ${row}.api_key_id where ${row}.api_key_id <> '${DASHBOARD_KEY_ID}' and not exists (
       select from api_keys k where k.public_id = ${row}.api_key_id and k.workspace_id = ${row}.workspace_id)
     and not exists (
       select from auth_hooks h where h.id = ${hookOfKeyId(`${row}.api_key_id`)} and h.workspace_id = ${row}.workspace_id))`

type Value = object | string | number | boolean | null | undefined
type Values = { stored: Value; derived: Value }
type Compared<Each> = Each extends Values ? Omit<Each, keyof Values> & Values : never

/** Returns no difference if both values are the same. */
export function compare(values: Compared<Difference>): Difference[] {
  const difference = { ...values, stored: shown(values.stored), derived: shown(values.derived) }
  return difference.stored === difference.derived ? [] : [difference]
}

/** Formats a parameter of a text. */
export function shown(value: Value): string {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' && value ? JSON.stringify(value) : String(value ?? '–')
}

/** Removes the first matching row from the list and returns it. Rows that are left at the end have no cause. */
export function take<Row>(rows: Row[], isMatch: (row: Row) => boolean): Row | undefined {
  const index = rows.findIndex(isMatch)
  return index < 0 ? undefined : rows.splice(index, 1)[0]
}
