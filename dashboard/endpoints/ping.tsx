import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Attempt } from './attempt.tsx'
import { Body } from './body-view.tsx'
import { refreshEndpoint } from './use-send-all.ts'
import { answerOf, arrived } from './why.ts'
import { endpointWords } from './words.ts'

const LOOK_EVERY_MS = 500
/** Longer than an attempt may take (15 s): then the result is in the log alone. */
const PATIENCE_MS = 20_000

/** Sends a test event, waits for what really comes of it, and shows both sides. */
export function Ping({ endpointId }: { endpointId: string }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const ping = useMutation(api.endpoints.ping.mutationOptions({ onSettled: refreshEndpoint }))
  return (
    <>
      <Button loading={ping.isPending} onClick={() => ping.mutate({ workspaceId, endpointId })}>
        {text.ping}
      </Button>
      <Modal opened={ping.isSuccess || ping.isError} onClose={ping.reset} title={text.pingTitle} size="xl">
        {ping.error && <Failed error={ping.error} />}
        {ping.data && (
          <PingResult key={ping.data.deliveryId} endpointId={endpointId} deliveryId={ping.data.deliveryId} />
        )}
      </Modal>
    </>
  )
}

function PingResult({ endpointId, deliveryId }: { endpointId: string; deliveryId: string }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const [since] = useState(Date.now)
  const isOver = (updatedAt: number): boolean => updatedAt - since >= PATIENCE_MS
  const { data, error, dataUpdatedAt } = useQuery({
    ...api.endpoints.delivery.queryOptions({ workspaceId, endpointId, deliveryId }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.tries.length || isOver(state.dataUpdatedAt) || state.error ? false : LOOK_EVERY_MS,
  })
  if (!data) return error ? <Failed error={error} /> : <Loader aria-label={text.pingWaiting} />
  const attempt = data.tries[0]
  return (
    <Stack>
      <div role="status">
        {attempt ? (
          <Alert color={arrived(attempt) ? 'teal' : 'red'}>
            {arrived(attempt)
              ? text.pingTook(attempt.httpStatus, attempt.durationMs)
              : text.pingRefused(answerOf(attempt) ?? text.noAnswer, attempt.durationMs)}
          </Alert>
        ) : isOver(dataUpdatedAt) ? (
          <Text size="sm">{text.pingLate}</Text>
        ) : (
          <Group gap="xs">
            <Loader size="sm" />
            <Text size="sm">{text.pingWaiting}</Text>
          </Group>
        )}
      </div>
      {attempt && <Attempt attempt={attempt} url={data.url} order={3} />}
      <Body text={data.body} />
    </Stack>
  )
}
