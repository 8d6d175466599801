import { faultsOf } from '../api.ts'
import { type Language, useLanguage } from '../words.ts'

/** The labels of a form's fields, by the paths that the server names. */
export type Labels = Readonly<Record<string, string>>

/** What the server found in a form, each as a whole sentence, by the path of its field: for a form's `setErrors`. */
export function useFaults(labels: Labels): (error: unknown) => Record<string, string> {
  const { language } = useLanguage()
  return (error) =>
    Object.fromEntries(
      faultsOf(error).map(({ path, message }) => [path, faultSentence(labels[path] ?? path, message, language)]),
    )
}

/** Some of what the server says of a field is the rest of a sentence that begins with the field's name. */
export function faultSentence(label: string, message: string, language: Language): string {
  if (/[.!?؟]$/.test(message)) return message
  return language === 'ar' ? `${label}: ${message}.` : `${label} ${message}.`
}
