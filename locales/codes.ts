const PLURAL_SUFFIX = /_(zero|one|two|few|many|other)$/

/**
 * The texts of each code, by their plural suffix; '' where a text has none. A key is a plural form only where its
 * code has the forms `_one` and `_other`.
 */
export function codesOf(texts: Readonly<Record<string, string>>): Map<string, Map<string, string>> {
  const codes = new Map<string, Map<string, string>>()
  for (const [key, text] of Object.entries(texts)) {
    const base = key.replace(PLURAL_SUFFIX, '')
    const isPlural = base !== key && ['one', 'other'].every((form) => Object.hasOwn(texts, `${base}_${form}`))
    const code = isPlural ? base : key
    const forms = codes.get(code) ?? new Map<string, string>()
    codes.set(code, forms.set(isPlural ? key.slice(base.length + 1) : '', text))
  }
  return codes
}

/** The names in a text's `{{name}}`. */
export const parametersOf = (text: string): string[] =>
  Array.from(text.matchAll(/\{\{(\w+)\}\}/g), ([, name]) => name ?? '')
