import '@mantine/charts/styles.css'
import { BarChart } from '@mantine/charts'
import { useElementSize } from '@mantine/hooks'
import { directionOf } from '../../locales/text.ts'
import { useTexts } from '../texts/use-texts.ts'
import { type ChartColour, cssColour } from '../ui/state/status.ts'
import classes from './figure.module.css'
import { namedDays, roundTicks } from './numbers.ts'

type Series = { name: string; label: string; colour: ChartColour }

export type ColumnChartProps = {
  /** One column each. */
  data: readonly (Readonly<Record<string, string | number>> & { label: string })[]
  series: readonly Series[]
  height: number
}

/** With more, the lines between the parts of a bar are as wide as the bar. */
const MAX_COLUMNS_WITH_GAPS = 31
/** The label below a bar. */
const LABEL_WIDTH = 64
const AXIS_WIDTH = 52
/** The room for the last label, which is wider than its bar. */
const LABEL_END = 14
/** The room for the label of the highest bar. */
const LABEL_HEIGHT = 20

/**
 * Stacked bars by day or hour, with the number of the highest. Hidden from screen readers, which have the table. Mirrored in
 * right-to-left languages.
 */
export function ColumnChart({ data, series, height }: ColumnChartProps) {
  const { n, language } = useTexts()
  const rightToLeft = directionOf(language) === 'rtl'
  const isolated = (label: string): string => (rightToLeft ? `\u2067${label}\u2069` : label)
  const shown = data.map((each) => ({ ...each, label: isolated(each.label) }))
  const totals = data.map((each) => series.reduce((sum, { name }) => sum + Number(each[name]), 0))
  const highest = Math.max(...totals)
  const ticks = roundTicks(highest)
  const { ref, width } = useElementSize()
  const named = namedDays(
    shown.map(({ label }) => label),
    Math.floor((width - AXIS_WIDTH) / LABEL_WIDTH),
  )
  return (
    <div ref={ref} aria-hidden="true" dir="ltr" className={classes['plot']}>
      <BarChart
        h={height}
        data={shown}
        dataKey="label"
        type="stacked"
        series={series.map(({ colour, ...each }) => ({ ...each, color: cssColour(colour) }))}
        valueFormatter={(value) => n(value)}
        xAxisProps={{ reversed: rightToLeft, ticks: named, interval: 0 }}
        yAxisProps={{
          orientation: rightToLeft ? 'right' : 'left',
          ticks,
          domain: [0, ticks.at(-1) ?? 1],
          interval: 0, // otherwise the top label moves down and hides the next one
          width: AXIS_WIDTH,
          tickMargin: rightToLeft ? 14 : 6,
        }}
        barProps={{
          isAnimationActive: false,
          maxBarSize: 48,
          ...(data.length <= MAX_COLUMNS_WITH_GAPS && { stroke: 'var(--mantine-color-body)', strokeOpacity: 1 }),
        }}
        referenceDots={[
          {
            x: shown[totals.indexOf(highest)]?.label ?? '',
            y: highest,
            r: 0,
            label: { value: n(highest), fill: 'var(--mantine-color-text)', fontWeight: 600 },
          },
        ]}
        barChartProps={{
          accessibilityLayer: false,
          margin: { top: LABEL_HEIGHT, [rightToLeft ? 'left' : 'right']: LABEL_END },
        }}
        tooltipProps={{ position: { y: 0 }, wrapperStyle: { direction: rightToLeft ? 'rtl' : 'ltr' } }}
        tickLine="none"
      />
    </div>
  )
}
