import { Fragment } from 'react'
import type { Reschedule } from '../../src/cod/confirmation.ts'
import { useLanguage, useWords } from '../words.ts'
import { confirmationWords } from './words.ts'

/** A day of the delivery zone, which no zone moves. */
export const dayInWords = (date: string, language: string): string =>
  new Intl.DateTimeFormat(`${language}-u-nu-latn-ca-gregory`, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(new Date(`${date}T00:00:00Z`))

/** What was chosen of the day, the range and the note, on one line. */
export function Chosen({ reschedule: { date, timeRange, note } }: { reschedule: Reschedule }) {
  const { language } = useLanguage()
  const parts = [date && dayInWords(date, language), timeRange, note && `“${note}”`].filter((part) => part !== null)
  return parts.length === 0
    ? '–'
    : parts.map((part, index) => (
        <Fragment key={part}>
          {index > 0 && ' · '}
          <bdi style={part === timeRange ? { whiteSpace: 'nowrap' } : {}}>{part}</bdi>
        </Fragment>
      ))
}

/** The same of an order whose time is settled: what was not chosen is told as well. */
export function NewTime({ reschedule }: { reschedule: Reschedule }) {
  const text = useWords(confirmationWords)
  const missing = [reschedule.date === null && text.anyDay, reschedule.timeRange === null && text.anyTime]
  return (
    <>
      <Chosen reschedule={reschedule} />
      {missing.some(Boolean) && ` (${missing.filter(Boolean).join(', ')})`}
    </>
  )
}
