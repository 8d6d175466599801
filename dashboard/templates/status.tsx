import { type PageTexts, translateWord } from '../texts/use-texts.ts'
import { Status } from '../ui/state/status.tsx'

export const qualityIn = (texts: PageTexts, quality: string | null): string =>
  quality === null ? texts.t('page_templates.not_rated') : translateWord(texts, 'page_templates.qualities', quality)

export const StatusBadge = ({ status }: { status: string }) => (
  <span title={status}>
    <Status of="template" value={status} />
  </span>
)
