import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Box } from '@mantine/core'
import { directionOf } from '../../locales/text.ts'
import { useTexts } from '../texts/use-texts.ts'
import { numberFormat } from '../ui/number.ts'
import { dayText } from './span.ts'

export type Series = { name: string; label: string; color: string }

/** Stacked bars by day, or by `at`. Hidden from screen readers, which have the table. Mirrored in right-to-left languages. */
export default function DayChart({
  data,
  series,
  at = 'day',
}: {
  data: readonly Record<string, string | number>[]
  series: readonly Series[]
  at?: 'day' | 'label'
}) {
  const { language } = useTexts()
  const rightToLeft = directionOf(language) === 'rtl'
  const n = numberFormat(language)
  const dayOf = (day: string): string =>
    rightToLeft ? `\u2067${dayText(day, language)}\u2069` : dayText(day, language)
  const shown = at === 'day' ? data.map((each) => ({ ...each, label: dayOf(String(each['day'])) })) : data
  return (
    <Box dir="ltr" aria-hidden="true">
      <BarChart
        h={260}
        data={shown.map((each) => ({ ...each }))}
        dataKey="label"
        type="stacked"
        series={series.map((each) => ({ ...each }))}
        withLegend={series.length > 1}
        legendProps={{ verticalAlign: 'bottom', itemSorter: null }}
        valueFormatter={(value) => n.format(value)}
        xAxisProps={{ reversed: rightToLeft, minTickGap: 12 }}
        yAxisProps={{
          orientation: rightToLeft ? 'right' : 'left',
          allowDecimals: false,
          interval: 0, // otherwise the top label moves down and hides the next one
          width: 52,
          tickMargin: rightToLeft ? 14 : 6,
        }}
        barProps={{ isAnimationActive: false, maxBarSize: 48 }}
        barChartProps={{ accessibilityLayer: false }}
        tickLine="none"
      />
    </Box>
  )
}
