import type { AuditAction } from '../../src/admin/audit/actions.ts'
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

type Key<Action extends string> = Action extends `${infer Noun}.${infer Past}` ? `${Noun}_${Past}` : never
type SentenceCode = `page_audit_log.did_${Key<AuditAction>}`

export const sentenceCodeOf = (action: AuditAction): SentenceCode =>
  `page_audit_log.did_${inSnakeCase(action) as Key<AuditAction>}`

/** What the audit log names as the author of a change that a command made. */
export const COMMAND_LINE = 'command line'

export const whoText = (who: string, { t }: Pick<PageTexts, 't'>): string =>
  who === COMMAND_LINE ? t('page_audit_log.command_line') : who
