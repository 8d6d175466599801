import { Accordion, Alert, Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, codeOf } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Failed } from '../../ui/failed.tsx'
import { Loading } from '../../ui/loading.tsx'
import { statusWord } from '../../ui/state/status.ts'
import { Time } from '../../ui/time.tsx'
import { usePermissions, useWorkspace } from '../../ui/workspace.ts'
import { Attempt, type DeliveryData } from './attempt.tsx'
import { Body } from './body-view.tsx'
import type { EndpointData } from '../endpoint-health.tsx'
import { StatusBadge } from '../state-badge.tsx'
import { refreshEndpoint } from './use-resend-all.ts'
import { isDue, answerOf } from '../endpoint-state.ts'

/** The server's maximum (src/webhooks/log.ts). */
const ATTEMPTS_SHOWN = 50

/** Everything about one delivery. */
export function Delivery({ endpoint, deliveryId }: { endpoint: EndpointData; deliveryId: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const { endpointId } = endpoint
  const { data, error, refetch } = useQuery(
    api.endpoints.delivery.queryOptions({ workspaceId, endpointId, deliveryId }),
  )
  if (codeOf(error) === 'NOT_FOUND') return <Text>{t('page_endpoints.delivery_missing')}</Text>
  if (!data) return error ? <Failed error={error} onAgain={() => void refetch()} /> : <Loading />
  return (
    <Stack gap="lg">
      <Facts delivery={data} />
      {may.change && endpoint.status === 'enabled' && !data.underWay && <SendAgain delivery={data} of={endpointId} />}
      <Body text={data.body} />
      <Attempts delivery={data} />
    </Stack>
  )
}

function Facts({ delivery }: { delivery: DeliveryData }) {
  const texts = useTexts()
  const { t } = texts
  const { workspaceId } = useWorkspace()
  const { messageId, confirmationId, dueAt, nextAttempt, underWay } = delivery
  return (
    <Stack gap="xs" component="dl" m={0}>
      <Fact name={t('page_endpoints.status')}>
        <StatusBadge delivery={delivery} />
      </Fact>
      <Fact name={t('page_endpoints.type')}>
        <code>{delivery.type}</code>
      </Fact>
      <Fact name={t('page_endpoints.webhook_id')}>
        <Copyable text={delivery.eventId} />
      </Fact>
      {messageId && (
        <Fact name={t('page_endpoints.message')}>
          <Anchor
            renderRoot={(props) => (
              <Link {...props} to="/w/$workspaceId/messages/$messageId" params={{ workspaceId, messageId }} />
            )}
          >
            <code>{messageId}</code>
          </Anchor>
        </Fact>
      )}
      {confirmationId && (
        <Fact name={t('page_endpoints.confirmation')}>
          <Anchor
            renderRoot={(props) => (
              <Link
                {...props}
                to="/w/$workspaceId/confirmations/$confirmationId"
                params={{ workspaceId, confirmationId }}
              />
            )}
          >
            <code>{confirmationId}</code>
          </Anchor>
        </Fact>
      )}
      <Fact name={t('page_endpoints.recorded')}>
        <Time at={delivery.createdAt} kind="past" form="second" />
      </Fact>
      <Fact name={t('page_endpoints.next')}>
        {underWay ? (
          statusWord(texts, 'delivery', 'in_progress')
        ) : dueAt && nextAttempt ? (
          <>
            {isDue(dueAt) ? t('page_endpoints.in_turn') : <Time at={dueAt} kind="due" form="second" />} (
            {t('page_endpoints.next_of', { number: nextAttempt.number, of: nextAttempt.of })})
          </>
        ) : (
          t('page_endpoints.no_next')
        )}
      </Fact>
    </Stack>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group gap="xs" align="baseline">
      <Text component="dt" size="sm" c="dimmed" w="9rem">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} flex={1} miw="12rem" style={{ overflowWrap: 'anywhere' }}>
        {children}
      </Text>
    </Group>
  )
}

function SendAgain({ delivery, of: endpointId }: { delivery: DeliveryData; of: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { deliveryId, status } = delivery
  const resend = useMutation(api.endpoints.resend.mutationOptions({ onSuccess: refreshEndpoint }))
  const name = status === 'pending' ? t('page_endpoints.try_now') : t('page_endpoints.send_again')
  return (
    <Stack gap="xs">
      <ConfirmDialog
        label={name}
        button={{ variant: 'filled' }}
        title={t('page_endpoints.send_again_title')}
        doing={resend}
        yes={name}
        no={t('page_endpoints.cancel')}
        onYes={() => resend.mutateAsync({ workspaceId, endpointId, deliveryId })}
      >
        <Text size="sm">
          <code>{delivery.type}</code>
        </Text>
        <Text size="sm">{t('page_endpoints.send_again_ask')}</Text>
        {status === 'succeeded' && <Text size="sm">{t('page_endpoints.send_again_arrived')}</Text>}
      </ConfirmDialog>
      {resend.isSuccess && (
        <Alert color="teal" role="status">
          {t('page_endpoints.on_its_way')}
        </Alert>
      )}
    </Stack>
  )
}

function Attempts({ delivery: { tries, url } }: { delivery: DeliveryData }) {
  const texts = useTexts()
  const { t, n } = texts
  const newest = tries[0]
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t('page_endpoints.attempts')}
      </Title>
      {newest === undefined ? (
        <Text size="sm">{t('page_endpoints.no_attempts')}</Text>
      ) : (
        <Accordion variant="separated" order={4} multiple defaultValue={[String(newest.attempt)]}>
          {tries.map((attempt) => (
            <Accordion.Item key={attempt.attempt} value={String(attempt.attempt)}>
              <Accordion.Control>
                <Text fw={600} size="sm">
                  {t('page_endpoints.attempt_title', { number: attempt.attempt })} ·{' '}
                  <Time at={attempt.startedAt} kind="past" form="second" />
                </Text>
                <Text size="sm">
                  {t('page_endpoints.ms', { ms: n(attempt.durationMs) })} ·{' '}
                  {answerOf(attempt, texts) ?? t('page_endpoints.no_answer')}
                </Text>
              </Accordion.Control>
              <Accordion.Panel>
                <Attempt attempt={attempt} url={url} order={5} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      {tries.length === ATTEMPTS_SHOWN && (
        <Text size="sm">{t('page_endpoints.attempts_limit', { max: n(ATTEMPTS_SHOWN) })}</Text>
      )}
    </Stack>
  )
}
