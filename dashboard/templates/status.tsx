import { type PageTexts, useTexts, translateWord } from '../texts/use-texts.ts'
import { Label } from './label.tsx'

export const qualityIn = (texts: PageTexts, quality: string | null): string =>
  quality === null ? texts.t('page_templates.not_rated') : translateWord(texts, 'page_templates.qualities', quality)

const COLOURS: Readonly<Record<string, string>> = {
  APPROVED: 'teal',
  PENDING: 'blue',
  IN_APPEAL: 'blue',
  PAUSED: 'orange',
  REJECTED: 'red',
  DISABLED: 'red',
}

export function StatusBadge({ status }: { status: string }) {
  return (
    <Label color={COLOURS[status] ?? 'gray'} title={status}>
      {translateWord(useTexts(), 'page_templates.statuses', status)}
    </Label>
  )
}
