import { DateTimePicker } from '@mantine/dates'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { Calendar } from '../../ui/time/calendar.tsx'

type Props = {
  label: string
  description: string
  /** Such as `2026-05-03T14:30`; empty: none. */
  value: string
  onChange: (value: string) => void
  error?: ReactNode
  'data-path'?: string
}

/** A day and a time of day, picked or typed by keyboard, in the reader's language. */
export function TimeInput({ value, onChange, ...field }: Props) {
  const { t } = useTexts()
  return (
    <Calendar>
      {(calendar) => (
        <DateTimePicker
          {...calendar}
          {...field}
          clearable
          clearButtonProps={{ 'aria-label': t('page_endpoints.clear_time') }}
          submitButtonProps={{ 'aria-label': t('page_endpoints.set_time') }}
          timePickerProps={{
            hoursInputLabel: t('page_endpoints.hours'),
            minutesInputLabel: t('page_endpoints.minutes'),
          }}
          popoverProps={{ withRoles: false }} // its dialog would have no name
          valueFormat="YYYY-MM-DD HH:mm"
          value={value === '' ? null : `${value.replace('T', ' ')}:00`}
          onChange={(picked) => onChange(picked === null ? '' : picked.slice(0, 16).replace(' ', 'T'))}
        />
      )}
    </Calendar>
  )
}
