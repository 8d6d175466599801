import { Accordion, Button, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, codeOf } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable, Recipient, Reference } from '../ui/as-typed.tsx'
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Facts } from '../ui/facts.tsx'
import { Failed, Loading } from '../ui/fallback.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { statusWord } from '../ui/state/status.ts'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Attempt, Body, type DeliveryData } from './delivery-parts.tsx'
import { type EndpointData, StatusBadge } from './endpoint-health.tsx'
import { answerOf, isDue } from './endpoint-state.ts'
import { Separated } from '../ui/separated.tsx'
import { refreshEndpoint } from './resend.ts'

/** The server's maximum (src/explain/deliveries.ts). */
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
  if (!data) return error ? <Failed error={error} onAgain={() => void refetch()} /> : <Loading as="detail" />
  return (
    <Stack gap="lg">
      <DeliveryFacts delivery={data} />
      {may.change && endpoint.status === 'enabled' && !data.underWay && data.body !== '' && (
        <SendAgain delivery={data} of={endpointId} />
      )}
      {data.body === '' ? <Text c="dimmed">{t('page_endpoints.body_removed')}</Text> : <Body text={data.body} />}
      <Attempts delivery={data} />
    </Stack>
  )
}

function DeliveryFacts({ delivery }: { delivery: DeliveryData }) {
  const texts = useTexts()
  const { t } = texts
  const { messageId, confirmationId, recipient, reference, dueAt, nextAttempt, underWay } = delivery
  return (
    <Facts
      label={t('page_endpoints.delivery')}
      form="column"
      of={[
        [t('page_endpoints.status'), <StatusBadge delivery={delivery} />],
        [t('page_endpoints.type'), <code>{delivery.type}</code>],
        [t('page_endpoints.webhook_id'), <Copyable text={delivery.eventId} />],
        recipient !== null && [t('page_endpoints.recipient'), <Recipient of={recipient} copyable />],
        reference !== null && reference !== '' && [t('page_endpoints.reference'), <Reference of={reference} />],
        messageId && [
          t('page_endpoints.message'),
          <AnchorLink size="sm" to="/w/$workspaceId/messages/$messageId" params={{ messageId }}>
            <code>{messageId}</code>
          </AnchorLink>,
        ],
        confirmationId && [
          t('page_endpoints.confirmation'),
          <AnchorLink size="sm" to="/w/$workspaceId/confirmations/$confirmationId" params={{ confirmationId }}>
            <code>{confirmationId}</code>
          </AnchorLink>,
        ],
        [t('page_endpoints.recorded'), <Time at={delivery.createdAt} kind="past" form="second" />],
        (underWay || nextAttempt) && [
          t('page_endpoints.next'),
          underWay ? (
            statusWord(texts, 'delivery', 'in_progress')
          ) : dueAt && nextAttempt ? (
            <>
              {isDue(dueAt) ? t('page_endpoints.in_turn') : <Time at={dueAt} kind="due" form="second" />} (
              {t('page_endpoints.next_of', { number: nextAttempt.number, of: nextAttempt.of })})
            </>
          ) : null,
        ],
      ]}
    />
  )
}

/** Tries a waiting delivery immediately. For a delivery that has ended, a dialog asks first. */
function SendAgain({ delivery, of: endpointId }: { delivery: DeliveryData; of: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { deliveryId, status } = delivery
  const resend = useMutation(api.endpoints.resend.mutationOptions({ onSuccess: refreshEndpoint }))
  const send = (): Promise<unknown> => resend.mutateAsync({ workspaceId, endpointId, deliveryId })
  return (
    <Stack gap="xs">
      {status === 'pending' ? (
        <Button w="fit-content" loading={resend.isPending} onClick={() => void send().catch(() => {})}>
          {t('page_endpoints.try_now')}
        </Button>
      ) : (
        <ConfirmDialog
          label={t('page_endpoints.send_again')}
          title={t('page_endpoints.send_again_title')}
          doing={resend}
          yes={t('page_endpoints.send_again')}
          onYes={send}
        >
          <Text size="sm">
            <code>{delivery.type}</code>
          </Text>
          <Text size="sm">{t('page_endpoints.send_again_ask')}</Text>
          {status === 'succeeded' && <Text size="sm">{t('page_endpoints.send_again_arrived')}</Text>}
        </ConfirmDialog>
      )}
      {resend.error && status === 'pending' && <Failed error={resend.error} />}
      {resend.isSuccess && (
        <Text size="sm" role="status">
          {t('page_endpoints.on_its_way')}
        </Text>
      )}
    </Stack>
  )
}

function Attempts({ delivery: { tries, body } }: { delivery: DeliveryData }) {
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
                <Separated
                  fw={600}
                  of={[
                    t('page_endpoints.attempt_title', { number: attempt.attempt }),
                    <Time at={attempt.startedAt} kind="past" form="second" />,
                  ]}
                />
                <Separated
                  of={[
                    t('page_endpoints.ms', { ms: n(attempt.durationMs) }),
                    answerOf(attempt, texts) ?? t('page_endpoints.no_answer'),
                  ]}
                />
              </Accordion.Control>
              <Accordion.Panel>
                <Attempt attempt={attempt} order={5} isRemoved={body === ''} />
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
