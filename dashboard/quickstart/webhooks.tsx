import { Anchor, Button, Paper, Stack, Text, Title, UnstyledButton } from '@mantine/core'
import { useMutation, useQueries } from '@tanstack/react-query'
import { useState } from 'react'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { Attempt, Body, type DeliveryData, LogLink } from '../endpoints/delivery-parts.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { withoutScheme } from '../ui/as-typed.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Failed } from '../ui/fallback.tsx'
import { isOfWorkspace } from '../ui/shell/refetch.ts'
import { QuietOutcome } from '../ui/state/status.tsx'
import { useSession, useWorkspace } from '../ui/workspace.ts'
import classes from './quickstart.module.css'
import { type ConfirmationStatus, eventOf } from './progress.ts'
import { Separated } from '../ui/separated.tsx'
import { verdictOf } from './verdict.ts'

type SentWebhook = RouterOutputs['confirmations']['get']['webhooks'][number]

/** Each is a call of its own. */
const MAX_SHOWN = 4

type ReceivedWebhook = { delivery: DeliveryData; endpointId: string; isVerified: boolean | undefined }

/** The newest webhooks of the order, with what their receivers answered. */
export function useReceived(webhooks: readonly SentWebhook[]): ReceivedWebhook[] {
  const { workspaceId } = useWorkspace()
  const newest = webhooks.slice(-MAX_SHOWN).toReversed()
  const answers = useQueries({
    queries: newest.map(({ endpointId, deliveryId }) =>
      api.endpoints.delivery.queryOptions({ workspaceId, endpointId, deliveryId }),
    ),
  })
  return newest.flatMap(({ endpointId }, index) => {
    const delivery = answers[index]?.data
    const response = delivery?.tries[0]?.response ?? null
    return delivery ? [{ delivery, endpointId, isVerified: verdictOf(response) }] : []
  })
}

type PanelProps = {
  id: string
  received: readonly ReceivedWebhook[]
  receiverUrl: string
  /** Of the order, if there is one. */
  status: ConfirmationStatus | undefined
}

export function WebhookPanel({ id, received, receiverUrl, status }: PanelProps) {
  const { t } = useTexts()
  const waits = status === 'rescheduling' ? 'webhook_waits_choice' : 'webhook_waits'
  const saysNothing = received.length > 0 && received.every(({ isVerified }) => isVerified === undefined)
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={id}>
      <Stack gap="sm">
        <Title order={2} size="h4" id={id}>
          {t('page_quickstart.webhook')}
        </Title>
        {received.length === 0 && (
          <Text size="sm" c="dimmed">
            {t(`page_quickstart.${eventOf(status) === undefined ? waits : 'webhook_comes'}`)}
          </Text>
        )}
        <ul className={classes['webhooks']}>
          {received.map((each) => (
            <li key={each.delivery.deliveryId}>
              <Webhook of={each} />
            </li>
          ))}
        </ul>
        {saysNothing && <AddReceiver url={receiverUrl} />}
        <OwnServer />
      </Stack>
    </Paper>
  )
}

function Webhook({ of: { delivery, endpointId, isVerified } }: { of: ReceivedWebhook }) {
  const { t, n, textOf } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const { type, url, httpStatus, error, durationMs, body, tries } = delivery
  const [attempt] = tries
  return (
    <Stack gap="xs">
      <Separated
        of={[
          <code>{type}</code>,
          <span className="as-typed">{withoutScheme(url)}</span>,
          attempt && <bdi>{httpStatus === null ? error && textOf(error) : `HTTP ${httpStatus}`}</bdi>,
          attempt && durationMs !== null && t('page_endpoints.ms', { ms: n(durationMs) }),
        ]}
      />
      {isVerified === true && <QuietOutcome tone="success">{t('page_quickstart.verified')}</QuietOutcome>}
      {isVerified === false && <QuietOutcome tone="failure">{t('page_quickstart.forged')}</QuietOutcome>}
      {isVerified === undefined && attempt && (
        <Text size="sm" c="dimmed">
          {t('page_quickstart.no_verdict')}
        </Text>
      )}
      {attempt && (
        <UnstyledButton className={classes['more'] ?? ''} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'page_quickstart.hide_exchange' : 'page_quickstart.show_exchange')}
        </UnstyledButton>
      )}
      {isOpen && attempt && (
        <Stack gap="sm">
          <Attempt attempt={attempt} order={3} />
          <Body text={body} />
          <LogLink of={{ endpointId, deliveryId: delivery.deliveryId }} label={t('page_phone.open_delivery')} />
        </Stack>
      )}
    </Stack>
  )
}

/** The endpoints do not say whether they verify: the test receiver does. */
function AddReceiver({ url }: { url: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const add = useMutation(
    api.endpoints.add.mutationOptions({
      onSuccess: () =>
        queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspaceId) }),
    }),
  )
  return (
    <Stack gap="xs" align="flex-start">
      {add.error && <Failed error={add.error} />}
      {add.isSuccess ? (
        <Text size="sm" role="status">
          {t('page_quickstart.receiver_added')}
        </Text>
      ) : (
        <Button
          variant="default"
          size="compact-md"
          loading={add.isPending}
          onClick={() => add.mutate({ workspaceId, url, description: t('page_quickstart.receiver') })}
        >
          {t('page_quickstart.add_receiver')}
        </Button>
      )}
    </Stack>
  )
}

/** Where most servers of developers listen. */
const OWN_SERVER = 'http://localhost:8080/webhooks'

function OwnServer() {
  const { t } = useTexts()
  const { program } = useSession()
  return (
    <Stack gap={6}>
      <Text size="sm" c="dimmed">
        {t('page_quickstart.own_server')}{' '}
        <Anchor
          inherit
          underline="always"
          href="/docs/guides/webhooks#webhooks-on-your-own-machine"
          target="_blank"
          rel="noreferrer"
        >
          {t('page_quickstart.own_server_how')}
        </Anchor>
      </Text>
      <CodeBlock
        text={`${program} listen --url ${location.origin} --forward ${OWN_SERVER}`}
        label={t('page_quickstart.copy_listen')}
      />
    </Stack>
  )
}
