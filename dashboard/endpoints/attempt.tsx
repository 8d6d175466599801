import { Code, Stack, Text, Title, type TitleOrder } from '@mantine/core'
import type { Answers } from '../api.ts'
import { Time } from '../ui/time.tsx'
import { useWords } from '../words.ts'
import { endpointWords } from './words.ts'

export type WholeDelivery = Answers['endpoints']['delivery']
export type OneAttempt = WholeDelivery['tries'][number]

/** One request and what came back. */
export function Attempt({ attempt, url, order }: { attempt: OneAttempt; url: string; order: TitleOrder }) {
  const text = useWords(endpointWords)
  return (
    <Stack gap="sm">
      <Text size="sm">
        {text.started}: <Time at={attempt.startedAt} form="second" /> · {text.took}: {text.ms(attempt.durationMs)}
      </Text>
      <Stack gap={4}>
        <Title order={order} size="h6">
          {text.request}
        </Title>
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {[`POST ${url}`, ...attempt.headers.map(({ name, value }) => `${name}: ${value ?? 'v1,…'}`)].join('\n')}
        </Code>
        <Text size="sm" c="dimmed">
          {text.signatureNotKept}
        </Text>
      </Stack>
      <Stack gap={4}>
        <Title order={order} size="h6">
          {text.response}
        </Title>
        <Answer attempt={attempt} />
      </Stack>
    </Stack>
  )
}

function Answer({ attempt: { httpStatus, error, response } }: { attempt: OneAttempt }) {
  const text = useWords(endpointWords)
  return (
    <>
      <Text size="sm">
        {httpStatus === null ? text.responseNone : <code>HTTP {httpStatus}</code>} <bdi>{error}</bdi>
      </Text>
      {response !== null && (
        <>
          <Text size="sm" c="dimmed">
            {text.responseFirst}
          </Text>
          <Code block tabIndex={0} mah={240} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
            {response}
          </Code>
        </>
      )}
      {httpStatus !== null && response === null && (
        <Text size="sm" c="dimmed">
          {text.responseEmpty}
        </Text>
      )}
    </>
  )
}
