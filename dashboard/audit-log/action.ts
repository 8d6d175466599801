import type { TextCode } from '../../locales/text.ts'
import type { PageTexts } from '../texts/use-texts.ts'

/** The form of text keys: `key_created`, `monthly_units`. */
export const inSnakeCase = (name: string): string =>
  name.replaceAll('.', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

export const codeOfAction = (action: string): string => `page_audit_log.actions_${inSnakeCase(action)}`

/** The action's name; an action of another release has no text. */
export function actionIn(action: string, { t, has }: Pick<PageTexts, 't' | 'has'>): string {
  const code = codeOfAction(action)
  return has(code) ? t(code) : action
}

type SentenceCode = Extract<TextCode, `page_audit_log.did_${string}`>

/** Returns undefined for an action of another release. */
export function sentenceCodeOf(action: string, { has }: Pick<PageTexts, 'has'>): SentenceCode | undefined {
  const code: string = `page_audit_log.did_${inSnakeCase(action)}`
  return has(code) ? (code as SentenceCode) : undefined
}

/** What the audit log names as the author of a change that a command made. */
export const COMMAND_LINE = 'command line'
/** The author of a change that an agent made through "doorcode mcp". */
export const AGENT = 'agent'

export function whoText(who: string, { t }: Pick<PageTexts, 't'>): string {
  if (who === COMMAND_LINE) return t('page_audit_log.command_line')
  return who === AGENT ? t('page_audit_log.agent') : who
}
