import { Fragment } from 'react'
import { visibleText } from '../../locales/visible-text.ts'
import type { Reschedule } from '../../src/cod/conversation/confirmation.ts'
import { dateFormat } from '../texts/formats.ts'
import { useTexts } from '../texts/use-texts.ts'

/** A day of the delivery zone: the reader's own zone does not change it. */
const dayLabel = (date: string, language: string): string =>
  dateFormat(language, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(new Date(`${date}T00:00:00Z`))

/** What was chosen of the day, the range and the note, on one line. */
export function Chosen({ reschedule: { date, timeRange, note } }: { reschedule: Reschedule }) {
  const { language } = useTexts()
  const parts = [date && dayLabel(date, language), timeRange, note && `“${note}”`].filter((part) => part !== null)
  return parts.map((part, index) => (
    <Fragment key={part}>
      {index > 0 && ' · '}
      <bdi style={part === timeRange ? { whiteSpace: 'nowrap' } : {}}>{visibleText(part)}</bdi>
    </Fragment>
  ))
}

/** The same for a finished rescheduling: it also shows what was not chosen. */
export function NewTime({ reschedule }: { reschedule: Reschedule }) {
  const { t } = useTexts()
  const missing = [
    reschedule.date === null && t('page_confirmations.any_day'),
    reschedule.timeRange === null && t('page_confirmations.any_time'),
  ]
    .filter(Boolean)
    .join(t('page_shell.comma'))
  if (reschedule.date === null && reschedule.timeRange === null && reschedule.note === null) return missing
  return (
    <>
      <Chosen reschedule={reschedule} />
      {missing && ` (${missing})`}
    </>
  )
}
