import { Alert, Anchor, Badge, Group, Stack, Text } from '@mantine/core'
import type { CSSProperties, ReactNode } from 'react'
import type { ApiErrorCode } from '../../../src/lib/errors.ts'
import type { FailureCode } from '../../../src/providers/failure-codes.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { useWorkspaceIfAny } from '../workspace.ts'
import classes from './status.module.css'
import {
  type Colour,
  type StatusOf,
  type StatusValue,
  type Tone,
  colourOf,
  cssColour,
  needsALook,
  statusWord,
  toneOf,
} from './status.ts'

/** A status with its label and colour, the same on every page. */
export function Status<Of extends StatusOf>({ of, value }: { of: Of; value: StatusValue<Of> }) {
  const texts = useTexts()
  return <StateMark colour={colourOf(of, value)}>{statusWord(texts, of, value)}</StateMark>
}

/** A pill for what needs a look; otherwise text with a dot. For a thing without a status of its own. */
export const StateMark = ({ colour, children }: { colour: Colour; children: ReactNode }) =>
  needsALook(colour) ? (
    <Badge variant="light" color={toneOf(colour)} w="fit-content">
      {children}
    </Badge>
  ) : (
    <span className={`${classes['dotted']} ${classes['quiet']}`} style={dotOf(colour)}>
      {children}
    </span>
  )

/** For a dot in CSS. */
export const dotOf = (colour: Colour) => ({ '--dot': cssColour(colour) }) as CSSProperties

/** A failure code or a problem code, with its page, in the reader's language and with a way back to the workspace. */
export function CodeLink({ code }: { code: FailureCode | ApiErrorCode }) {
  const { language } = useTexts()
  const workspace = useWorkspaceIfAny()
  const search = new URLSearchParams({ lang: language, ...(workspace && { workspace: workspace.workspaceId }) })
  return (
    <Anchor inherit href={`/problems/${code}?${search.toString()}`} target="_blank" rel="noreferrer">
      <code>{code}</code>
    </Anchor>
  )
}

/**
 * A status in a list, with as much of the failure code beside it as fits in the row. A phone's row has no room for the
 * code.
 */
export const WithFailure = ({ code, children }: { code: FailureCode | null; children: ReactNode }) =>
  code === null ? (
    children
  ) : (
    <div className={classes['failed']}>
      {children}
      <Text span size="xs" truncate title={code} data-detail>
        <CodeLink code={code} />
      </Text>
    </div>
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
  <Text component="div" className={classes['dotted'] ?? ''} style={dotOf(tone)}>
    {children}
  </Text>
)
