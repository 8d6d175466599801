import { Skeleton } from '@mantine/core'
import { lazyRouteComponent } from '@tanstack/react-router'
import { Suspense } from 'react'
import type { DayChartProps } from './day-chart.tsx'

const HEIGHT = 240

/** The chart library is large: it is loaded for pages with charts only. */
const DayChart = lazyRouteComponent(() => import('./day-chart.tsx'), 'DayChart')

export const loadPlot = (): Promise<unknown> => DayChart.preload?.() ?? Promise.resolve()

export const Plot = (props: Omit<DayChartProps, 'height'>) => (
  <Suspense fallback={<Skeleton h={HEIGHT} />}>
    <DayChart {...props} height={HEIGHT} />
  </Suspense>
)
