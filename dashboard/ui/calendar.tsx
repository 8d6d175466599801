import '@mantine/dates/styles.css'
import 'dayjs/locale/ar'
import 'dayjs/locale/fr'
import { DatesProvider } from '@mantine/dates'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/use-texts.ts'
import { firstDayOfWeek } from '../texts/week.ts'

type CalendarProps = ReturnType<typeof useCalendarProps>

/**
 * What calendars share: the reader's language, names for their buttons, and no days of other months. Weekend days keep
 * the color of other days, whose contrast is high enough.
 */
export function Calendar({ children }: { children: (props: CalendarProps) => ReactNode }) {
  const { language } = useTexts()
  return (
    <DatesProvider settings={{ locale: language, firstDayOfWeek: firstDayOfWeek(language), weekendDays: [] }}>
      {children(useCalendarProps())}
    </DatesProvider>
  )
}

function useCalendarProps() {
  const { t } = useTexts()
  return {
    hideOutsideDates: true,
    maxLevel: 'year',
    ariaLabels: {
      previousMonth: t('page_shell.previous_month'),
      nextMonth: t('page_shell.next_month'),
      previousYear: t('page_shell.previous_year'),
      nextYear: t('page_shell.next_year'),
    },
  } as const
}
