import type { PageTexts } from '../texts/use-texts.ts'

/** What the audit log names as the author of a change that a command made. */
export const COMMAND_LINE = 'command line'

export const whoText = (who: string, { t }: Pick<PageTexts, 't'>): string =>
  who === COMMAND_LINE ? t('page_audit_log.command_line') : who
