import { Skeleton } from '@mantine/core'
import { type ComponentType, useEffect, useState } from 'react'
import type { ColumnChartProps } from './column-chart.tsx'

const HEIGHT = 240

let ColumnChart: ComponentType<ColumnChartProps> | undefined

/** The chart library is large: only pages with charts load it. */
export async function loadPlot(): Promise<void> {
  ColumnChart ??= (await import('./column-chart.tsx')).ColumnChart
}

/** Without `Suspense`, which keeps a skeleton for 300 ms once it is shown. */
export function Plot(props: Omit<ColumnChartProps, 'height'>) {
  const [, setLoaded] = useState(ColumnChart !== undefined)
  useEffect(() => {
    loadPlot().then(
      () => setLoaded(true),
      (error: unknown) =>
        setLoaded(() => {
          throw error // to the page's error boundary, which offers to load it again
        }),
    )
  }, [])
  return ColumnChart ? <ColumnChart {...props} height={HEIGHT} /> : <Skeleton h={HEIGHT} />
}
