import { Paper, Stack, type StackProps, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './facts.module.css'

type SectionProps = { title: string; gap?: StackProps['gap']; children: ReactNode }

export function Section({ title, gap = 'xs', children }: SectionProps) {
  return (
    <Stack gap={gap} component="section" aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  )
}

/** A long text is `wide`: it takes two columns of a strip. */
export type Fact = readonly [title: string, content: ReactNode, width?: 'wide']

type Props = { label: string; form?: 'strip' | 'column'; of: readonly (Fact | false | null | undefined | '')[] }

/** Named facts about one thing, next to each other in a strip or in a column. */
export const Facts = ({ label, form = 'strip', of }: Props) => (
  <Paper withBorder p="md" component="section" aria-label={label}>
    <dl className={classes[form]}>{of.map((fact) => fact && <FactItem key={fact[0]} fact={fact} />)}</dl>
  </Paper>
)

/** One fact, for any `dl`. */
export const FactItem = ({ fact: [title, content, width] }: { fact: Fact }) => (
  <div className={`${classes['fact']} ${width ? classes['wide'] : ''}`}>
    <Text component="dt" size="sm" c="dimmed">
      {title}
    </Text>
    <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
      {content}
    </Text>
  </div>
)
