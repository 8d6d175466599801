import { faultsOf } from '../api.ts'
import type { Language } from '../../locales/text.ts'
import { useTexts } from '../texts/use-texts.ts'

/** The labels of a form's fields, by the paths that the server names. */
export type Labels = Readonly<Record<string, string>>

/** The server's faults as whole sentences, by field path: for a form's `setErrors`. */
export function useFaults(labels: Labels): (error: unknown) => Record<string, string> {
  const { language, textOf } = useTexts()
  return (error) =>
    Object.fromEntries(
      faultsOf(error).map(({ path, text }) => [path, faultSentence(labels[path] ?? path, textOf(text), language)]),
    )
}

/** Some messages of the server continue a sentence that begins with the field's name. */
export function faultSentence(label: string, message: string, language: Language): string {
  if (/[.!?؟]$/.test(message)) return message
  return language === 'ar' ? `${label}: ${message}.` : `${label} ${message}.`
}
