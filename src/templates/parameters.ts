export type TextParameters = { form: 'positional' | 'named'; names: string[] }

const VARIABLE = /\{\{\s*([^{}\s]+)\s*\}\}/g

/** The distinct variables of a template text, in order of appearance: `{{1}}` is positional, `{{first_name}}` named. */
export function parametersOf(text: string): TextParameters {
  const names = text.includes('{{') ? [...new Set(Array.from(text.matchAll(VARIABLE), ([, name]) => name ?? ''))] : []
  return { form: names.some((name) => !/^\d+$/.test(name)) ? 'named' : 'positional', names }
}
