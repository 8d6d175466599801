import type { PageTexts } from '../texts/use-texts.ts'

/** The action's text. A change from the command line is logged as the command, which has no text. */
export const codeOfAction = (action: string): string => `page_audit_log.actions_${action.replaceAll('.', '_')}`

export function actionIn(action: string, { t, has }: Pick<PageTexts, 't' | 'has'>): string {
  const code = codeOfAction(action)
  return has(code) ? t(code) : action
}
