import type { PageTexts } from '../texts/use-texts.ts'

/** Who changed something with a command, as the server names them. */
export const COMMAND_LINE = 'command line'

export const whoText = (who: string, { t }: Pick<PageTexts, 't'>): string =>
  who === COMMAND_LINE ? t('page_audit_log.command_line') : who
