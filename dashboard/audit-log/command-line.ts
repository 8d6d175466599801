import type { PageTexts } from '../texts/use-texts.ts'

/** The server's name for whoever changed something with a command. */
export const COMMAND_LINE = 'command line'

export const whoText = (who: string, { t }: Pick<PageTexts, 't'>): string =>
  who === COMMAND_LINE ? t('page_audit_log.command_line') : who
