import { Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

/** Named facts about one thing, next to each other in a strip or in a column. */
export function Facts({
  label,
  form = 'strip',
  children,
}: {
  label: string
  form?: 'strip' | 'column'
  children: ReactNode
}) {
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <dl className={classes[form]}>{children}</dl>
    </Paper>
  )
}

/** A fact in any `dl`. `wide`: its text is long and takes two columns of a strip. */
export function Fact({ title, wide = false, children }: { title: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={`${classes['fact']} ${wide ? classes['wide'] : ''}`}>
      <Text component="dt" size="sm" c="dimmed">
        {title}
      </Text>
      <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  )
}
