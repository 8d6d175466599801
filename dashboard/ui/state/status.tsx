import { Alert, Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import type { ApiErrorCode } from '../../../src/lib/errors.ts'
import type { FailureCode } from '../../../src/providers/failure-codes.ts'
import { useTexts } from '../../texts/use-texts.ts'
import classes from './status.module.css'
import { type StatusOf, type StatusValue, type Tone, statusWord, toneOf } from './status.ts'

/** A status with its label and colour, the same on every page. */
export function Status<Of extends StatusOf>({ of, value }: { of: Of; value: StatusValue<Of> }) {
  const texts = useTexts()
  return <ToneBadge tone={toneOf(of, value)}>{statusWord(texts, of, value)}</ToneBadge>
}

/** For things that have a tone but no status. */
export const ToneBadge = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <Badge variant="light" color={tone} w="fit-content">
    {children}
  </Badge>
)

/** A failure code or a problem code, with its page of the API's reference. */
export const CodeLink = ({ code }: { code: FailureCode | ApiErrorCode }) => (
  <Anchor inherit href={`/problems/${code}`} target="_blank" rel="noreferrer">
    <code>{code}</code>
  </Anchor>
)

/** A status in a list, with the failure code below it if there is one. */
export const FailureBelow = ({ code, children }: { code: FailureCode | null; children: ReactNode }) =>
  code === null ? (
    children
  ) : (
    <Stack gap={2} align="flex-start">
      {children}
      <Text size="xs">
        <CodeLink code={code} />
      </Text>
    </Stack>
  )

type OutcomeBannerProps = { tone: Tone; title: ReactNode; action?: ReactNode; children: ReactNode }

/** What someone must do: who, what, and the button that does it. If no one must act, it is a QuietOutcome. */
export function OutcomeBanner({ tone, title, action, children }: OutcomeBannerProps) {
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

/** The outcome in one line, for which the reader need not act. */
export const QuietOutcome = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <Text component="div" className={classes['quiet'] ?? ''} style={{ '--outcome': `var(--tone-${tone})` }}>
    {children}
  </Text>
)
