import type { CodedText, PlainCode, TextCode } from '../../../locales/text.ts'
import type { StoredReport } from '../../explain/rows.ts'

type Code = Extract<TextCode, `verify.${string}`>
/** Each kind of difference has a text. */
export type DifferenceCode = Exclude<Code, Extract<PlainCode, Code>>

/** `id`: the row that differs from what other rows say. */
export type Difference = { id: string; text: Extract<CodedText, { code: DifferenceCode }> }

/** `verifiable`: false when the facts that decide were removed. */
export type CheckResult = { differences: Difference[]; verifiable: boolean }

/** Formats a parameter of a text. */
export const shown = (value: Date | object | string | number | boolean | null | undefined): string => {
  if (value instanceof Date) return value.toISOString()
  if (value === null || value === undefined) return '–'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** `stored` lies at `derived`, or later by as much as a sandbox's clock may have been ahead when it was stored. */
export function isSameTime(stored: Date | null, derived: Date | null, aheadMs: number): boolean {
  if (!stored || !derived) return stored === derived
  const laterMs = stored.getTime() - derived.getTime()
  return laterMs >= 0 && laterMs <= aheadMs
}

/** `ignored`: why the report changed nothing in the replay, or null. */
export function checkResult({ id, outcome, note }: StoredReport, ignored: CodedText | null): Difference[] {
  const result = ignored ? 'ignored' : 'applied'
  const [from, to] = [note?.code ?? null, ignored?.code ?? null]
  const [stored, derived] = from === to ? [outcome, result] : [from, to]
  return stored === derived
    ? []
    : [{ id, text: { code: 'verify.report_result', stored: shown(stored), derived: shown(derived) } }]
}
