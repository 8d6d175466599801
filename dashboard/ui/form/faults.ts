import type { CodedText } from '../../../locales/text.ts'
import { faultsOf } from '../../api.ts'
import { type PageTexts, useTexts } from '../../texts/use-texts.ts'

/** The labels of a form's fields, by the paths that the server names. */
export type Labels = Readonly<Record<string, string>>

/** The server's faults as sentences by field path, for a form's `setErrors`. */
export function useFaults(labels: Labels): (error: unknown) => Record<string, string> {
  const texts = useTexts()
  return (error) =>
    Object.fromEntries(
      faultsOf(error).map(({ path, text }) => [path, faultSentence(labels[path] ?? path, text, texts)]),
    )
}

/** Some faults are complete sentences; others continue a sentence that begins with the field's name. */
export function faultSentence(field: string, fault: CodedText, { t, textOf }: PageTexts): string {
  const text = textOf(fault)
  return /[.!?؟]$/.test(text) ? text : t('page_shell.fault', { field, fault })
}

const CONTROLS = 'input, textarea, select, button'

/**
 * Focuses the field with this path, or the first control of a group. Returns false if there is none. Fields carry their path as
 * @mantine/form writes it.
 */
export function focusField(path: string, within: ParentNode = document): boolean {
  const field = within.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)
  const control = field?.matches(CONTROLS) ? field : field?.querySelector<HTMLElement>(CONTROLS)
  control?.focus()
  return control !== undefined && control !== null && control === document.activeElement
}
