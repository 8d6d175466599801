import { Skeleton } from '@mantine/core'
import { type ComponentType, useEffect, useState } from 'react'
import type { DayChartProps } from './day-chart.tsx'

const HEIGHT = 240

let DayChart: ComponentType<DayChartProps> | undefined

/** The chart library is large: only pages with charts load it. */
export async function loadPlot(): Promise<void> {
  DayChart ??= (await import('./day-chart.tsx')).DayChart
}

/** Without `Suspense`, which keeps a skeleton for 300 ms once it is shown. */
export function Plot(props: Omit<DayChartProps, 'height'>) {
  const [, setLoaded] = useState(DayChart !== undefined)
  useEffect(() => {
    loadPlot().then(
      () => setLoaded(true),
      (error: unknown) =>
        setLoaded(() => {
          throw error // to the page's error boundary, which offers to load it again
        }),
    )
  }, [])
  return DayChart ? <DayChart {...props} height={HEIGHT} /> : <Skeleton h={HEIGHT} />
}
