import { Alert, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './outcome.module.css'
import type { Tone } from './status.ts'

/** What someone must do: who, what, and the button that does it. If no one must act, it is a QuietOutcome. */
export function OutcomeBanner({
  tone,
  title,
  action,
  children,
}: {
  tone: Tone
  title: ReactNode
  action?: ReactNode
  children: ReactNode
}) {
  return (
    <Alert color={tone} title={title}>
      <Group justify="space-between" align="center" gap="sm">
        <Stack gap={4} flex={1} miw={240} style={{ overflowWrap: 'anywhere' }}>
          {children}
        </Stack>
        {action}
      </Group>
    </Alert>
  )
}

/** The outcome in one line that asks nothing of the reader. */
export const QuietOutcome = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <Text component="div" className={classes['quiet'] ?? ''} style={{ '--outcome': `var(--tone-${tone})` }}>
    {children}
  </Text>
)
