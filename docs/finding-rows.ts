import { codesOf } from '../locales/codes.ts'
import { readResources } from '../locales/resources.ts'
import { COMMON_FINDINGS, FINDINGS } from '../src/operations/doctor/finding.ts'

/** The rows of docs/doctor.md: code, check, level, words and fix. */
export function findingRows(): string[][] {
  const texts = codesOf(readResources('en')['doctor'] ?? {})
  const textOf = (code: string): string =>
    (texts.get(code)?.get('') ?? '').replaceAll(/\{\{(\w+)\}\}/g, '*$1*').replaceAll('|', '\\|')
  return Object.entries({ ...FINDINGS, any: COMMON_FINDINGS }).flatMap(([check, findings]) =>
    Object.entries(findings).map(([code, level]) => [code, check, level, textOf(code), textOf(`${code}_fix`)]),
  )
}
