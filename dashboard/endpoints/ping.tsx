import { Alert, Button, Group, Loader, Modal, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { Attempt } from './deliveries/attempt.tsx'
import { Body } from './deliveries/body-view.tsx'
import { refreshEndpoint } from './deliveries/use-resend-all.ts'
import { arrived, answerOf } from './endpoint-state.ts'

const POLL_INTERVAL_MS = 500
/** Longer than an attempt may take (15 s). After that, only the log has the result. */
const PATIENCE_MS = 20_000

/** Sends a test event, waits for the result, and shows request and response. `isMain`: it is the page's main action. */
export function Ping({ endpointId, isMain }: { endpointId: string; isMain: boolean }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const ping = useMutation(api.endpoints.ping.mutationOptions({ onSettled: refreshEndpoint }))
  return (
    <>
      <Button
        variant={isMain ? 'filled' : 'default'}
        loading={ping.isPending}
        onClick={() => ping.mutate({ workspaceId, endpointId })}
      >
        {t('page_endpoints.ping')}
      </Button>
      <Modal
        opened={ping.isSuccess || ping.isError}
        onClose={ping.reset}
        title={t('page_endpoints.ping_title')}
        size="xl"
      >
        {ping.error && <Failed error={ping.error} />}
        {ping.data && (
          <PingResult key={ping.data.deliveryId} endpointId={endpointId} deliveryId={ping.data.deliveryId} />
        )}
      </Modal>
    </>
  )
}

function PingResult({ endpointId, deliveryId }: { endpointId: string; deliveryId: string }) {
  const texts = useTexts()
  const { t, n } = texts
  const { workspaceId } = useWorkspace()
  const [since] = useState(Date.now)
  const isOver = (updatedAt: number): boolean => updatedAt - since >= PATIENCE_MS
  const { data, error, dataUpdatedAt } = useQuery({
    ...api.endpoints.delivery.queryOptions({ workspaceId, endpointId, deliveryId }),
    staleTime: 0,
    refetchInterval: ({ state }) =>
      state.data?.tries.length || isOver(state.dataUpdatedAt) || state.error ? false : POLL_INTERVAL_MS,
  })
  if (!data) return error ? <Failed error={error} /> : <Loader aria-label={t('page_endpoints.ping_waiting')} />
  const attempt = data.tries[0]
  return (
    <Stack>
      <div role="status">
        {attempt ? (
          <Alert color={arrived(attempt) ? 'success' : 'failure'}>
            {arrived(attempt)
              ? t('page_endpoints.ping_took', { status: attempt.httpStatus ?? 0, ms: n(attempt.durationMs) })
              : `${t('page_endpoints.ping_rejected', { ms: n(attempt.durationMs) })} ${answerOf(attempt, texts) ?? t('page_endpoints.no_answer')}`}
          </Alert>
        ) : isOver(dataUpdatedAt) ? (
          <Text size="sm">{t('page_endpoints.ping_late')}</Text>
        ) : (
          <Group gap="xs">
            <Loader size="sm" />
            <Text size="sm">{t('page_endpoints.ping_waiting')}</Text>
          </Group>
        )}
      </div>
      {attempt && <Attempt attempt={attempt} order={3} />}
      <Body text={data.body} />
    </Stack>
  )
}
