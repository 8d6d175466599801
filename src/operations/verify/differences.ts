import type { CodedText, PlainCode, TextCode } from '../../../locales/text.ts'
import { hookOfKeyId } from '../../otp/hooks/hooks.ts'
import { DASHBOARD_KEY_ID } from '../../workspaces/keys/keys.ts'
import type { QuotaKind } from '../../workspaces/quota.ts'
import type { ClockSpread } from '../../workspaces/workspace-time.ts'

type Code = Extract<TextCode, `verify.${string}`>
/** Each kind of difference has a text. */
type DifferenceText = Extract<CodedText, { code: Exclude<Code, Extract<PlainCode, Code>> }>
/** `id`: the row that differs from what other rows say. */
export type Difference = { id: string; text: DifferenceText }

/** The result for a message, confirmation or event. `verifiable` is false if the facts that decide were removed. */
export type CheckedUnit = {
  id: string
  differences: Difference[]
  verifiable: boolean
  /** The unit that it took from the quota, and when. */
  used?: { kind: QuotaKind; at: Date } | false
}

/** Units to read, by id. */
export type Page = { after: string; limit: number }

/** The most facts of one kind per unit. A unit with more is not verified. */
const MAX_FACTS = 200
/** The limit of queries: one more than MAX_FACTS shows that there are too many. */
export const FACT_LIMIT = MAX_FACTS + 1

export const isWhole = (...facts: readonly (readonly unknown[])[]): boolean =>
  facts.every((list) => list.length <= MAX_FACTS)

/** The API key or auth hook of a row, or null if the row's workspace has it. */
export const unknownKeyOf = (row: string): string =>
  `(select ${row}.api_key_id where ${row}.api_key_id <> '${DASHBOARD_KEY_ID}' and not exists (
       select from api_keys k where k.public_id = ${row}.api_key_id and k.workspace_id = ${row}.workspace_id)
     and not exists (
       select from auth_hooks h where h.id = ${hookOfKeyId(`${row}.api_key_id`)} and h.workspace_id = ${row}.workspace_id))`

export const difference = (id: string, text: DifferenceText): Difference => ({ id, text })

/** What is wrong with a row, for each condition that is true. */
export const differencesOf = (id: string, found: readonly (readonly [boolean, DifferenceText])[]): Difference[] =>
  found.flatMap(([isWrong, text]) => (isWrong ? [{ id, text }] : []))

type Value = Date | object | string | number | boolean | null | undefined

/** Formats a parameter of a text. */
export const shown = (value: Value): string => {
  if (value instanceof Date) return value.toISOString()
  if (value === null || value === undefined) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type WithoutValues<Text> = Text extends { stored: unknown; derived: unknown } ? Omit<Text, 'stored' | 'derived'> : never
type Comparison = { stored: Value; derived: Value; isSame?: boolean; clock?: ClockSpread }

/** Of a value that no clock changes. */
export const NO_CLOCK: ClockSpread = { aheadMs: 0, backMs: 0 }

/** Returns the difference between two values, or nothing. */
export function compared(id: string, text: WithoutValues<DifferenceText>, values: Comparison): Difference[] {
  const { stored, derived, clock = NO_CLOCK, isSame = isSameValue(stored, derived, clock) } = values
  return isSame ? [] : [{ id, text: { ...text, stored: shown(stored), derived: shown(derived) } }]
}

/** An instant may differ from `derived` by as much as a sandbox's clock may have differed from the real time when it was stored. */
export function isSameValue(stored: Value, derived: Value, { aheadMs, backMs }: ClockSpread): boolean {
  if (!(stored instanceof Date && derived instanceof Date)) return stored === derived
  const laterMs = stored.getTime() - derived.getTime()
  return laterMs >= -backMs && laterMs <= aheadMs
}

/** Removes the first matching row from the list and returns it. Rows that are left at the end have no cause. */
export function take<Row>(rows: Row[], isMatch: (row: Row) => boolean): Row | undefined {
  const index = rows.findIndex(isMatch)
  return index < 0 ? undefined : rows.splice(index, 1)[0]
}

type NumberedReport = { id: string; inputNumber: number | null; outcome: string; note: CodedText | null }

/** `ignored`: why the report changed nothing in the replay, or null. */
export function checkResult({ id, outcome, note }: NumberedReport, ignored: CodedText | null): Difference[] {
  const result = ignored ? 'ignored' : 'applied'
  const [from, to] = [note?.code ?? null, ignored?.code ?? null]
  const [stored, derived] = from === to ? [outcome, result] : [from, to]
  return compared(id, { code: 'verify.report_result' }, { stored, derived })
}

/** Each report that was an input has its own number, at most the number of inputs. */
export const checkNumbers = (inputs: number, reports: readonly NumberedReport[]): Difference[] =>
  reports
    .filter(({ inputNumber: number }, index) => {
      const first = reports.findIndex(({ inputNumber }) => inputNumber === number)
      return number === null || number > inputs || first < index
    })
    .map(({ id, inputNumber }) => difference(id, { code: 'verify.input_number', stored: shown(inputNumber), inputs }))
