import { Skeleton } from '@mantine/core'
import { Suspense, lazy } from 'react'
import type { Series } from './day-chart.tsx'

const HEIGHT = 240

/** Loads the chart library with the first chart only. */
const DayChart = lazy(() => import('./day-chart.tsx'))

export const Plot = (props: { data: readonly Record<string, string | number>[]; series: readonly Series[] }) => (
  <Suspense fallback={<Skeleton h={HEIGHT} />}>
    <DayChart {...props} height={HEIGHT} />
  </Suspense>
)
