import type { CodedText, PlainCode, TextCode } from '../../../locales/text.ts'
import { hookOfKeyId } from '../../otp/hooks/hooks.ts'
import type { Provider } from '../../providers/provider.ts'
import { DASHBOARD_KEY_ID } from '../../workspaces/keys/keys.ts'
import type { QuotaKind } from '../../workspaces/quota.ts'

type Code = Extract<TextCode, `verify.${string}`>
/** Each kind of difference has a text. */
type DifferenceText = Extract<CodedText, { code: Exclude<Code, Extract<PlainCode, Code>> }>
/** `id`: the row that differs from what other rows say. */
export type Difference = { id: string; text: DifferenceText }

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

/** The differences of one row; `false`: none. */
export const differencesOf = (id: string, texts: readonly (DifferenceText | false)[]): Difference[] =>
  texts.flatMap((text) => (text ? [{ id, text }] : []))

type WithoutValues<Text> = Text extends { stored: unknown; derived: unknown } ? Omit<Text, 'stored' | 'derived'> : never
type Value = object | string | number | boolean | null | undefined
type Values = { stored: Value; derived: Value; isSame?: boolean }

/** Returns the text with both values, or false if they are the same. */
export function compare(text: WithoutValues<DifferenceText>, values: Values): DifferenceText | false {
  const [stored, derived] = [shown(values.stored), shown(values.derived)]
  return !(values.isSame ?? stored === derived) && { ...text, stored, derived }
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
