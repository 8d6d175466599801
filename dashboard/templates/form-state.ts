import type { CodeDraft, QuestionDraft, TemplateDraft } from '../../src/providers/template-draft.ts'
import { tidy, variablesOf } from '../../src/providers/template-text.ts'
import type { T } from '../texts/use-texts.ts'
import type { Labels } from '../ui/form/faults.ts'
import { type QuestionStart, STARTS_IN_ENGLISH, startsIn } from './examples-by-language.ts'
import type { Use } from './search.ts'

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

/** A name that WhatsApp accepts, from what is typed: `Order check` becomes `order_check`. */
export const templateNameOf = (typed: string): string =>
  typed
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}_]+/gu, '_')
    .replaceAll(/[^a-z0-9_]/g, '')

/** The names of the form's fields, by the paths of their faults. */
export function labelsOf(draft: TemplateDraft, t: T): Labels {
  const labels = { name: t('page_templates.name'), language: t('page_templates.language') }
  if (draft.use === 'otp')
    return { ...labels, expiryMinutes: t('page_templates.subject_expiry'), copyLabel: t('page_templates.copy_label') }
  return {
    ...labels,
    header: t('page_templates.subject_header'),
    headerSample: t('page_templates.header_sample'),
    body: t('page_templates.body'),
    ...Object.fromEntries(variablesOf(tidy(draft.body)).names.map((name) => [`samples.${name}`, `{{${name}}}`])),
    footer: t('page_templates.subject_footer'),
    ...Object.fromEntries(
      draft.buttons.map((_, index) => [
        `buttons.${index}`,
        t('page_templates.subject_button', { position: index + 1 }),
      ]),
    ),
  }
}
