import type { ReactNode } from 'react'
import { type ChartColour, chartColour } from '../ui/state/chart-colours.ts'
import classes from './figure.module.css'

export type LegendItem = { label: string; colour: ChartColour; content?: ReactNode }

/** What the colours of a chart mean. */
export const Legend = ({ items }: { items: readonly LegendItem[] }) => (
  <ul className={classes['legend']}>
    {items.map(({ label, colour, content = label }) => (
      <li key={label}>
        <i style={{ background: chartColour(colour) }} />
        {content}
      </li>
    ))}
  </ul>
)
