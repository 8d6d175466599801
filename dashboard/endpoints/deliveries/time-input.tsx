import '@mantine/dates/styles.css'
import 'dayjs/locale/ar'
import 'dayjs/locale/fr'
import { DateTimePicker, DatesProvider } from '@mantine/dates'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'

type Props = {
  label: string
  description: string
  /** As `2026-05-03T14:30`; empty: none. */
  value: string
  onChange: (value: string) => void
  error?: ReactNode
}

/** A day and a time of day, picked or typed by keyboard, in the reader's language. */
export function TimeInput({ value, onChange, ...field }: Props) {
  const { language } = useTexts()
  return (
    <DatesProvider settings={{ locale: language, firstDayOfWeek: language === 'ar' ? 6 : 1 }}>
      <DateTimePicker
        {...field}
        clearable
        valueFormat="YYYY-MM-DD HH:mm"
        value={value === '' ? null : `${value.replace('T', ' ')}:00`}
        onChange={(picked) => onChange(picked === null ? '' : picked.slice(0, 16).replace(' ', 'T'))}
      />
    </DatesProvider>
  )
}
