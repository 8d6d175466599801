import type { PageTexts } from '../texts/use-texts.ts'

/** How the server names the command line where it names a person. */
export const COMMAND_LINE = 'command line'

export const whoText = (who: string, { t }: Pick<PageTexts, 't'>): string =>
  who === COMMAND_LINE ? t('page_audit_log.command_line') : who
