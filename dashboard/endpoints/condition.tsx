import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { SendingProgress } from './sending.tsx'
import type { OneEndpoint } from './standing.tsx'
import { NEVER_ARRIVED, type Missed, refreshEndpoint, useSendAll } from './use-send-all.ts'
import { answerOf, saidGone, stateOf } from './why.ts'
import { endpointWords } from './words.ts'

const COLOURS = { enabled: 'gray', failing: 'orange', paused: 'yellow', disabled: 'red' } as const

/** What is wrong with the endpoint, in words, what it missed, and one click that sends all of that. */
export function Condition({ endpoint }: { endpoint: OneEndpoint }) {
  const text = useWords(endpointWords)
  const may = useMay()
  const run = useSendAll(endpoint.endpointId)
  const missed = useMissed(endpoint)
  const state = stateOf(endpoint)
  const title = {
    enabled: undefined,
    failing: text.failingTitle,
    paused: text.pausedTitle,
    disabled: text.disabledTitle,
  }
  const hasMissed = missed !== undefined && missed.held + missed.failed > 0
  if (state === 'enabled' && !hasMissed && run.sending.phase === 'idle') return null
  return (
    <Alert color={COLOURS[state]} {...(title[state] && { title: title[state] })}>
      <Stack gap="sm">
        <Cause endpoint={endpoint} />
        {missed && (hasMissed || endpoint.status !== 'enabled') && !run.isBusy && <WhatWasMissed missed={missed} />}
        {may.change && !run.isBusy && <WaysOn endpoint={endpoint} missed={missed} run={run} />}
        <SendingProgress run={run} />
      </Stack>
    </Alert>
  )
}

/** Exact, and so asked only when the counts that the page has anyway have changed. */
function useMissed({ endpointId, standing }: OneEndpoint): Missed | undefined {
  const { workspaceId } = useWorkspace()
  const { held = 0, failed = 0 } = standing ?? {}
  const { data } = useQuery({
    queryKey: ['missed', endpointId, held, failed],
    queryFn: () => countMissed({ workspaceId, endpointId }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before: Missed | undefined) => before,
  })
  return data
}

const countMissed = (of: { workspaceId: string; endpointId: string }): Promise<Missed> =>
  queries.fetchQuery({ ...api.endpoints.missed.queryOptions(of), staleTime: 0 })

function Cause({ endpoint }: { endpoint: OneEndpoint }) {
  const text = useWords(endpointWords)
  const { statusAt, failingSince, lastFailure } = endpoint
  const state = stateOf(endpoint)
  if (state === 'enabled') return null
  const answer = lastFailure && answerOf(lastFailure)
  return (
    <Stack gap={4}>
      {state === 'disabled' && (
        <Text size="sm">
          {saidGone(endpoint) ? text.disabledGone : text.disabledFailing} <Time at={statusAt} />
        </Text>
      )}
      {state === 'paused' && (
        <Text size="sm">
          {text.pausedSince} <Time at={statusAt} />
        </Text>
      )}
      {failingSince && (
        <Text size="sm">
          {text.onlyFailuresSince} <Time at={failingSince} />
        </Text>
      )}
      {state !== 'paused' && lastFailure && answer && (
        <Text size="sm" component="div">
          {text.lastError} (<Time at={lastFailure.startedAt} />
          ):{' '}
          <Text span inherit dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {answer}
          </Text>
          {lastFailure.response && (
            <Code block mt={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
              {lastFailure.response.slice(0, EXCERPT_LENGTH)}
            </Code>
          )}
        </Text>
      )}
      <Text size="sm">{state === 'failing' ? text.failingNow : text.heldMeanwhile}</Text>
    </Stack>
  )
}

const EXCERPT_LENGTH = 300

function WhatWasMissed({ missed: { held, failed, oldestAt } }: { missed: Missed }) {
  const text = useWords(endpointWords)
  if (held + failed === 0) return <Text size="sm">{text.missedNothing}</Text>
  return (
    <Text size="sm" fw={600}>
      {text.missed(held, failed)}{' '}
      {oldestAt && (
        <>
          {text.oldest} <Time at={oldestAt} />.
        </>
      )}
    </Text>
  )
}

type Run = ReturnType<typeof useSendAll>

function WaysOn({ endpoint, missed, run }: { endpoint: OneEndpoint; missed: Missed | undefined; run: Run }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const { endpointId, status } = endpoint
  const enable = useMutation(api.endpoints.enable.mutationOptions({ onSettled: refreshEndpoint }))
  const total = missed ? missed.held + missed.failed : 0
  const catchUp = (): void =>
    void run.start(NEVER_ARRIVED, async () => {
      const { held, failed, at } = await countMissed({ workspaceId, endpointId })
      if (status !== 'enabled') await enable.mutateAsync({ workspaceId, endpointId })
      return { total: held + failed, at }
    })
  if (status === 'enabled') {
    return total > 0 ? (
      <Button w="fit-content" variant="default" onClick={catchUp}>
        {text.sendMissed(total)}
      </Button>
    ) : null
  }
  const [andSend, only, plain] =
    status === 'paused'
      ? [text.resumeAndSend(total), text.resume, text.resumePlain]
      : [text.enableAndSend(total), text.enable, text.enablePlain]
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {total > 0 && <Button onClick={catchUp}>{andSend}</Button>}
        <Button
          variant={total > 0 ? 'default' : 'filled'}
          loading={enable.isPending}
          onClick={() => enable.mutate({ workspaceId, endpointId })}
        >
          {total > 0 ? only : plain}
        </Button>
      </Group>
      {enable.error && <Failed error={enable.error} />}
    </Stack>
  )
}
