import '@mantine/dates/styles.css'
import 'dayjs/locale/ar'
import 'dayjs/locale/fr'
import { DatesProvider } from '@mantine/dates'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/use-texts.ts'

/** Calendars in the reader's language. Weekend days keep the color of others, whose contrast is high enough. */
export function CalendarSettings({ children }: { children: ReactNode }) {
  const { language } = useTexts()
  const firstDayOfWeek = language === 'ar' ? 6 : 1
  return <DatesProvider settings={{ locale: language, firstDayOfWeek, weekendDays: [] }}>{children}</DatesProvider>
}
