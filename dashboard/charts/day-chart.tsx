import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { Box } from '@mantine/core'
import { directionOf } from '../../locales/text.ts'
import { useTexts } from '../texts/use-texts.ts'
import { numberFormat } from '../ui/number.ts'
import classes from './figure.module.css'
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
  const isolated = (label: string): string => (rightToLeft ? `\u2067${label}\u2069` : label)
  const shown = data.map((each) => ({
    ...each,
    label: isolated(at === 'day' ? dayText(String(each['day']), language) : String(each['label'])),
  }))
  return (
    <div aria-hidden="true">
      <Box dir="ltr">
        <BarChart
          h={260}
          data={shown}
          dataKey="label"
          type="stacked"
          series={series.map((each) => ({ ...each }))}
          valueFormatter={(value) => n.format(value)}
          xAxisProps={{ reversed: rightToLeft, ...(at === 'day' ? { minTickGap: 12 } : EVERY_LABEL) }}
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
      {series.length > 1 && (
        <ul className={classes.legend}>
          {series.map(({ name, label, color }) => (
            <li key={name}>
              <i style={{ background: `var(--mantine-color-${color.replace('.', '-')})` }} />
              {label}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

/** Slanted, so that none is left out on a narrow screen. */
const EVERY_LABEL = { interval: 0, angle: -40, textAnchor: 'end', height: 64, tickMargin: 4 } as const
