import { Paper, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** What is known of one thing, each by its name. */
export function Facts({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={label}>
      <SimpleGrid component="dl" m={0} cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
        {children}
      </SimpleGrid>
    </Paper>
  )
}

/** One of them, in any `dl`. */
export function Fact({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {title}
      </Text>
      <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </div>
  )
}
