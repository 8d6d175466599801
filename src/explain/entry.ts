import { type CodedText, plainText, type TextValue } from '../../locales/text.ts'
import type { Check, Purpose } from '../messages/conversation.ts'
import type { ReportFact } from './facts.ts'

/** `at` is in the workspace's time. */
export type TimelineEntry = {
  at: string
  what: 'request' | 'quota' | 'message' | 'attempt' | 'report' | 'customer' | 'answer' | 'event' | 'webhook' | 'timer'
  detail: CodedText
  [member: string]: unknown
}

export const entry = (
  at: Date,
  what: TimelineEntry['what'],
  detail: CodedText,
  members: Readonly<Record<string, unknown>> = {},
): TimelineEntry => ({ at: at.toISOString(), what, detail, ...members })

/** Entries of the same time stay in the order of cause and effect. */
export const inOrder = <Entry extends { at: string }>(entries: Entry[]): Entry[] =>
  entries.sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))

export const checkName = (check: Check): CodedText => plainText(`explain.check_${check}`)

export function messageName({ check, purpose }: { check: Check; purpose: Purpose }): CodedText {
  if (purpose === 'template') return plainText(`explain.name_${check}_question`)
  return purpose === 'reminder' || purpose === 'closing'
    ? plainText(`explain.name_${check}_${purpose}`)
    : plainText(`explain.name_${purpose}`)
}

/** What the report changed, unless it was simply applied. */
export function reportOutcomeText({ outcome, note }: Pick<ReportFact, 'outcome' | 'note'>): TextValue {
  if (outcome === 'applied') return ''
  const reportOutcome = plainText(`explain.report_${outcome}`)
  return note
    ? { code: 'explain.report_outcome_because', reportOutcome, note }
    : { code: 'explain.report_outcome', reportOutcome }
}

export const repeatsText = (repeats: number): TextValue =>
  repeats > 0 ? { code: 'explain.again', times: repeats + 1 } : ''
