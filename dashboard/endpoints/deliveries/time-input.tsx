import { DateTimePicker } from '@mantine/dates'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'
import { CalendarSettings } from '../../ui/time/calendar-settings.tsx'

type Props = {
  label: string
  description: string
  /** As `2026-05-03T14:30`; empty: none. */
  value: string
  onChange: (value: string) => void
  error?: ReactNode
  'data-path'?: string
}

/** A day and a time of day, picked or typed by keyboard, in the reader's language. */
export function TimeInput({ value, onChange, ...field }: Props) {
  const { t } = useTexts()
  return (
    <CalendarSettings>
      <DateTimePicker
        {...field}
        clearable
        clearButtonProps={{ 'aria-label': t('page_endpoints.clear_time') }}
        hideOutsideDates
        maxLevel="year"
        ariaLabels={{
          previousMonth: t('page_endpoints.previous_month'),
          nextMonth: t('page_endpoints.next_month'),
          monthLevelControl: t('page_endpoints.choose_month'),
        }}
        submitButtonProps={{ 'aria-label': t('page_endpoints.set_time') }}
        timePickerProps={{ hoursInputLabel: t('page_endpoints.hours'), minutesInputLabel: t('page_endpoints.minutes') }}
        popoverProps={{ withRoles: false }} // its dialog would have no name
        valueFormat="YYYY-MM-DD HH:mm"
        value={value === '' ? null : `${value.replace('T', ' ')}:00`}
        onChange={(picked) => onChange(picked === null ? '' : picked.slice(0, 16).replace(' ', 'T'))}
      />
    </CalendarSettings>
  )
}
