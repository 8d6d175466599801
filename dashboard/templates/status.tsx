import { useWords } from '../words.ts'
import { Label } from './label.tsx'
import { type TemplateText, templateWords } from './words.ts'

/** WhatsApp's own word where there is none of ours: its lists grow. */
export const wordIn = (table: Readonly<Record<string, string>>, word: string): string =>
  Object.hasOwn(table, word) ? (table[word] ?? word) : word

export const qualityIn = (text: TemplateText, quality: string | null): string =>
  quality === null ? text.notRated : wordIn(text.qualities, quality)

const COLOURS: Readonly<Record<string, string>> = {
  APPROVED: 'teal',
  PENDING: 'blue',
  IN_APPEAL: 'blue',
  PAUSED: 'orange',
  REJECTED: 'red',
  DISABLED: 'red',
}

export function StatusBadge({ status }: { status: string }) {
  const text = useWords(templateWords)
  return (
    <Label color={COLOURS[status] ?? 'gray'} title={status}>
      {wordIn(text.statuses, status)}
    </Label>
  )
}
