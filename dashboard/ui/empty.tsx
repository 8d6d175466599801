import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Shown in place of an empty list: what to do next. */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="sm">
        <Text ta="center" maw={480}>
          {children}
        </Text>
        {action}
      </Stack>
    </Paper>
  )
}
