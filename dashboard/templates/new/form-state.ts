import type { CodeDraft, QuestionDraft, TemplateDraft } from '../../../src/providers/template-draft.ts'
import { type QuestionStart, STARTS_IN_ENGLISH, startsIn } from './examples-by-language.ts'
import type { Use } from '../search.ts'

/** The form state: each use keeps its own input. */
export type FormState = {
  use: Use
  language: string
  names: Readonly<Record<Use, string>>
  otp: Omit<CodeDraft, 'use' | 'name' | 'language'>
  confirmation: Question
  refusal: Question
}

type Question = Omit<QuestionDraft, 'use' | 'name' | 'language'>

export function startOf(use: Use, language: string): FormState {
  return {
    use,
    language,
    names: { otp: 'sign_in_code', confirmation: 'confirm_order', refusal: 'refusal_check' },
    otp: { securityAdvice: true, expiryMinutes: 10, copyLabel: '' },
    confirmation: questionOf((startsIn(language) ?? STARTS_IN_ENGLISH).confirmation),
    refusal: questionOf((startsIn(language) ?? STARTS_IN_ENGLISH).refusal),
  }
}

const questionOf = (start: QuestionStart): Question => ({ header: '', headerSample: '', footer: '', ...start })

/** Untouched texts change with the language; edited texts stay. */
export function inLanguage(state: FormState, language: string): FormState {
  const untouched = (use: 'confirmation' | 'refusal'): boolean =>
    JSON.stringify(state[use]) === JSON.stringify(startOf(use, state.language)[use])
  const fresh = startOf(state.use, language)
  return {
    ...state,
    language,
    confirmation: untouched('confirmation') ? fresh.confirmation : state.confirmation,
    refusal: untouched('refusal') ? fresh.refusal : state.refusal,
  }
}

export function draftOf(state: FormState): TemplateDraft {
  const { use, language } = state
  const name = state.names[use]
  return use === 'otp' ? { use, name, language, ...state.otp } : { use, name, language, ...state[use] }
}

/** Whether the form has a field for the path of a fault. */
export function hasField(draft: TemplateDraft, path: string): boolean {
  const [root, part = '', item] = path.split('.')
  if (root !== 'draft') return false
  if (part === 'name' || part === 'language') return true
  if (draft.use === 'otp') return part === 'expiryMinutes' || part === 'copyLabel'
  if (part === 'buttons') return item !== undefined && Number(item) < draft.buttons.length
  if (part === 'samples') return item !== undefined
  return ['header', 'headerSample', 'body', 'footer'].includes(part)
}
