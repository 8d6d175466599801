import { Accordion, Alert, Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, codeOf } from '../api.ts'
import { AskFirst } from '../ui/ask-first.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Failed } from '../ui/failed.tsx'
import { Loading } from '../ui/loading.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Attempt, type OneAttempt, type WholeDelivery } from './attempt.tsx'
import { Body } from './body-view.tsx'
import type { OneEndpoint } from './standing.tsx'
import { StatusBadge } from './state-badge.tsx'
import { refreshEndpoint } from './use-send-all.ts'
import { answerOf } from './why.ts'
import { endpointWords } from './words.ts'

/** As many as the server gives (src/webhooks/log.ts). */
const ATTEMPTS_SHOWN = 50

/** Everything about one delivery. */
export function Delivery({ endpoint, deliveryId }: { endpoint: OneEndpoint; deliveryId: string }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const { endpointId } = endpoint
  const { data, error, refetch } = useQuery(
    api.endpoints.delivery.queryOptions({ workspaceId, endpointId, deliveryId }),
  )
  if (codeOf(error) === 'NOT_FOUND') return <Text>{text.deliveryMissing}</Text>
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

function Facts({ delivery }: { delivery: WholeDelivery }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const { messageId, confirmationId, dueAt, nextAttempt, underWay } = delivery
  return (
    <Stack gap="xs" component="dl" m={0}>
      <Fact name={text.status}>
        <StatusBadge delivery={delivery} />
      </Fact>
      <Fact name={text.type}>
        <code>{delivery.type}</code>
      </Fact>
      <Fact name={text.webhookId}>
        <Copyable text={delivery.eventId} />
      </Fact>
      {messageId && (
        <Fact name={text.message}>
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
        <Fact name={text.confirmation}>
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
      <Fact name={text.recorded}>
        <Time at={delivery.createdAt} form="second" />
      </Fact>
      <Fact name={text.next}>
        {underWay ? (
          text.underWay
        ) : dueAt && nextAttempt ? (
          <>
            <Time at={dueAt} form="second" /> ({text.nextOf(nextAttempt.number, nextAttempt.of)})
          </>
        ) : (
          text.noNext
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

function SendAgain({ delivery, of: endpointId }: { delivery: WholeDelivery; of: string }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const { deliveryId, status } = delivery
  const resend = useMutation(api.endpoints.resend.mutationOptions({ onSuccess: refreshEndpoint }))
  const name = status === 'pending' ? text.tryNow : text.sendAgain
  return (
    <Stack gap="xs">
      <AskFirst
        label={name}
        button={{ variant: 'filled' }}
        title={text.sendAgainTitle}
        doing={resend}
        yes={name}
        no={text.cancel}
        onYes={() => resend.mutateAsync({ workspaceId, endpointId, deliveryId })}
      >
        <Text size="sm">
          <code>{delivery.type}</code>
        </Text>
        <Text size="sm">{text.sendAgainAsk}</Text>
        {status === 'succeeded' && <Text size="sm">{text.sendAgainArrived}</Text>}
      </AskFirst>
      {resend.isSuccess && (
        <Alert color="teal" role="status">
          {text.onItsWay}
        </Alert>
      )}
    </Stack>
  )
}

function Attempts({ delivery: { tries, url } }: { delivery: WholeDelivery }) {
  const text = useWords(endpointWords)
  const newest = tries[0]
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {text.attempts}
      </Title>
      {newest === undefined ? (
        <Text size="sm">{text.noAttempts}</Text>
      ) : (
        <Accordion variant="separated" order={4} multiple defaultValue={[String(newest.attempt)]}>
          {tries.map((attempt) => (
            <Accordion.Item key={attempt.attempt} value={String(attempt.attempt)}>
              <Accordion.Control>
                <Text fw={600} size="sm">
                  {text.attemptTitle(attempt.attempt)} · <Time at={attempt.startedAt} form="second" />
                </Text>
                <Text size="sm">{text.attemptSummary(whatCame(attempt, text.noAnswer), attempt.durationMs)}</Text>
              </Accordion.Control>
              <Accordion.Panel>
                <Attempt attempt={attempt} url={url} order={5} />
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
      {tries.length === ATTEMPTS_SHOWN && <Text size="sm">{text.attemptsMost(ATTEMPTS_SHOWN)}</Text>}
    </Stack>
  )
}

const whatCame = (attempt: OneAttempt, otherwise: string): string => answerOf(attempt) ?? otherwise
