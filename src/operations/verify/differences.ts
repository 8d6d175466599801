import type { CodedText, PlainCode, TextCode } from '../../../locales/text.ts'
import type { StoredReport } from '../../explain/rows.ts'

type Code = Extract<TextCode, `verify.${string}`>
/** Each kind of difference has a text. */
export type DifferenceCode = Exclude<Code, Extract<PlainCode, Code>>

type DifferenceText = Extract<CodedText, { code: DifferenceCode }>
/** `id`: the row that differs from what other rows say. */
export type Difference = { id: string; text: DifferenceText }

/** `verifiable`: false when the facts that decide were removed. */
export type CheckResult = { differences: Difference[]; verifiable: boolean }

export const difference = (id: string, text: DifferenceText): Difference => ({ id, text })

type Value = Date | object | string | number | boolean | null | undefined

/** Formats a parameter of a text. */
export const shown = (value: Value): string => {
  if (value instanceof Date) return value.toISOString()
  if (value === null || value === undefined) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type WithoutValues<Text> = Text extends { stored: unknown; derived: unknown } ? Omit<Text, 'stored' | 'derived'> : never
type Compared = { stored: Value; derived: Value; isSame?: boolean; aheadMs?: number }

/** The difference between two values, if there is one. */
export function compared(id: string, text: WithoutValues<DifferenceText>, values: Compared): Difference[] {
  const { stored, derived, aheadMs = 0, isSame = isSameValue(stored, derived, aheadMs) } = values
  return isSame ? [] : [{ id, text: { ...text, stored: shown(stored), derived: shown(derived) } }]
}

/** An instant lies at `derived`, or later by as much as a sandbox's clock may have been ahead when it was stored. */
export function isSameValue(stored: Value, derived: Value, aheadMs: number): boolean {
  if (!(stored instanceof Date && derived instanceof Date)) return stored === derived
  const laterMs = stored.getTime() - derived.getTime()
  return laterMs >= 0 && laterMs <= aheadMs
}

/** `ignored`: why the report changed nothing in the replay, or null. */
export function checkResult({ id, outcome, note }: StoredReport, ignored: CodedText | null): Difference[] {
  const result = ignored ? 'ignored' : 'applied'
  const [from, to] = [note?.code ?? null, ignored?.code ?? null]
  const [stored, derived] = from === to ? [outcome, result] : [from, to]
  return compared(id, { code: 'verify.report_result' }, { stored, derived })
}

/** Each report that was an input has a number of its own, up to the number of inputs. */
export const checkNumbers = (
  inputs: number,
  reports: readonly { id: string; inputNumber: number | null }[],
): Difference[] =>
  reports
    .filter(({ inputNumber: number }, index) => {
      const first = reports.findIndex(({ inputNumber }) => inputNumber === number)
      return number === null || number > inputs || first < index
    })
    .map(({ id, inputNumber }) => difference(id, { code: 'verify.input_number', stored: shown(inputNumber), inputs }))
