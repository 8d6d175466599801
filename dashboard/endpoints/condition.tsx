import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { CodeBlock } from '../ui/code-block.tsx'
import { Failed } from '../ui/fallback.tsx'
import { colourOf, toneOf } from '../ui/state/status.ts'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import type { EndpointData } from './endpoint-health.tsx'
import { answerOf, isGone, stateOf } from './endpoint-state.ts'
import { SendingProgress } from './resend-events.tsx'
import { type MissedEvents, UNDELIVERED, refreshEndpoint, useResendAll } from './resend.ts'

/** The endpoint's fault, the deliveries that it missed, and a button that resends them. */
export function EndpointCondition({ endpoint }: { endpoint: EndpointData }) {
  const { t } = useTexts()
  const may = usePermissions()
  const run = useResendAll(endpoint.endpointId)
  const missed = useMissed(endpoint)
  const state = stateOf(endpoint)
  const hasMissed = missed !== undefined && missed.held + missed.failed > 0
  const isFailing = state === 'failing'
  if (state === 'enabled' && !hasMissed && run.sending.phase === 'idle') return null
  return (
    <Alert
      color={state !== 'enabled' ? toneOf(colourOf('endpoint', state)) : 'neutral'}
      {...(state !== 'enabled' && { title: t(`page_endpoints.${state}_title`) })}
    >
      <Stack gap="sm">
        <Cause endpoint={endpoint} />
        {missed && (hasMissed || endpoint.status !== 'enabled') && !run.isBusy && <MissedDeliveries missed={missed} />}
        {may.change && isFailing && <RetryWaiting endpoint={endpoint} />}
        {may.change && !run.isBusy && <RecoveryActions endpoint={endpoint} missed={missed} run={run} />}
        <SendingProgress run={run} />
      </Stack>
    </Alert>
  )
}

/** No confirmation dialog is needed: this uses no step of the schedule, and stops if the endpoint still fails. */
function RetryWaiting({ endpoint: { endpointId, health } }: { endpoint: EndpointData }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data: waiting = 0 } = useQuery({
    ...api.endpoints.waiting.queryOptions({ workspaceId, endpointId }),
    enabled: (health?.waiting ?? 0) > 0,
  })
  const retry = useMutation(api.endpoints.retryWaiting.mutationOptions({ onSettled: refreshEndpoint }))
  return (
    <Stack gap="xs">
      {waiting > 0 && (
        <Button w="fit-content" loading={retry.isPending} onClick={() => retry.mutate({ workspaceId, endpointId })}>
          {t('page_endpoints.retry_now', { count: waiting })}
        </Button>
      )}
      {retry.error && <Failed error={retry.error} />}
      {retry.data && (
        <Text size="sm" role="status">
          {t('page_endpoints.retrying', { count: retry.data.waiting })}
        </Text>
      )}
    </Stack>
  )
}

/** Exact and therefore expensive: fetched only when the counts of the page change. */
function useMissed({ endpointId, health }: EndpointData): MissedEvents | undefined {
  const { workspaceId } = useWorkspace()
  const { held = 0, failed = 0 } = health ?? {}
  const { data } = useQuery({
    queryKey: ['missed', endpointId, held, failed],
    queryFn: () => countMissed({ workspaceId, endpointId }),
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: (before: MissedEvents | undefined) => before,
  })
  return data
}

const countMissed = (of: { workspaceId: string; endpointId: string }): Promise<MissedEvents> =>
  queryClient.fetchQuery({ ...api.endpoints.missed.queryOptions(of), staleTime: 0 })

function Cause({ endpoint }: { endpoint: EndpointData }) {
  const texts = useTexts()
  const { t } = texts
  const { statusAt, failingSince, lastFailure } = endpoint
  const state = stateOf(endpoint)
  if (state === 'enabled') return null
  const answer = lastFailure && answerOf(lastFailure, texts)
  return (
    <Stack gap={4}>
      {state === 'disabled' && (
        <Text size="sm">
          {isGone(endpoint) ? t('page_endpoints.disabled_gone') : t('page_endpoints.disabled_failing')}{' '}
          <Time at={statusAt} kind="past" />
        </Text>
      )}
      {state === 'paused' && (
        <Text size="sm">
          {t('page_endpoints.paused_since')} <Time at={statusAt} kind="past" />
        </Text>
      )}
      {failingSince && (
        <Text size="sm">
          {t('page_endpoints.only_failures_since')} <Time at={failingSince} kind="due" />
        </Text>
      )}
      {state !== 'paused' && lastFailure && answer && (
        <Text size="sm" component="div">
          {t('page_endpoints.last_error')} (<Time at={lastFailure.startedAt} kind="past" />
          ):{' '}
          <Text span inherit dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {answer}
          </Text>
          {lastFailure.response && <CodeBlock text={lastFailure.response.slice(0, EXCERPT_LENGTH)} />}
        </Text>
      )}
      <Text size="sm">
        {state === 'failing' ? t('page_endpoints.failing_now') : t('page_endpoints.held_meanwhile')}
      </Text>
    </Stack>
  )
}

const EXCERPT_LENGTH = 300

function MissedDeliveries({ missed: { held, failed, oldestAt } }: { missed: MissedEvents }) {
  const { t, n } = useTexts()
  if (held + failed === 0) return <Text size="sm">{t('page_endpoints.missed_nothing')}</Text>
  return (
    <Text size="sm" fw={600}>
      {t('page_endpoints.missed', { count: held + failed, held: n(held), failed: n(failed) })}{' '}
      {oldestAt && (
        <>
          {t('page_endpoints.oldest')} <Time at={oldestAt} kind="past" />.
        </>
      )}
    </Text>
  )
}

type Run = ReturnType<typeof useResendAll>

function RecoveryActions({
  endpoint,
  missed,
  run,
}: {
  endpoint: EndpointData
  missed: MissedEvents | undefined
  run: Run
}) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { endpointId, status } = endpoint
  const enable = useMutation(api.endpoints.enable.mutationOptions({ onSettled: refreshEndpoint }))
  const total = missed ? missed.held + missed.failed : 0
  const catchUp = (): void =>
    void run.start(UNDELIVERED, async () => {
      const { held, failed, at } = await countMissed({ workspaceId, endpointId })
      if (status !== 'enabled') await enable.mutateAsync({ workspaceId, endpointId })
      return { total: held + failed, at }
    })
  if (status === 'enabled') {
    return total > 0 ? (
      <Button w="fit-content" variant="default" onClick={catchUp}>
        {t('page_endpoints.send_missed', { count: total })}
      </Button>
    ) : null
  }
  const verb = status === 'paused' ? 'resume' : 'enable'
  return (
    <Stack gap="xs">
      <Group gap="xs">
        {total > 0 && <Button onClick={catchUp}>{t(`page_endpoints.${verb}_and_send`, { count: total })}</Button>}
        <Button
          variant={total > 0 ? 'default' : 'filled'}
          loading={enable.isPending}
          onClick={() => enable.mutate({ workspaceId, endpointId })}
        >
          {t(total > 0 ? `page_endpoints.${verb}` : `page_endpoints.${verb}_plain`)}
        </Button>
      </Group>
      {enable.error && <Failed error={enable.error} />}
    </Stack>
  )
}
