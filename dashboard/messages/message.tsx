import { textAsWritten } from '../../locales/text.ts'
import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type RouterOutputs, api } from '../api.ts'
import { WebhookLine } from '../endpoints/deliveries/webhook-line.tsx'
import { MadeBy } from '../keys/made-by.tsx'
import { NamedTemplate } from '../templates/named.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { Timeline, NextActionAlert } from '../timeline/timeline.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { useLive } from '../ui/shell/live.ts'
import { Page } from '../ui/shell/page.tsx'
import { Status } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { MessageKind } from './status.tsx'

type MessageData = RouterOutputs['messages']['get']

export function Message() {
  const { t } = useTexts()
  const live = useLive()
  const { workspaceId } = useWorkspace()
  const { messageId } = useParams({ from: '/w/$workspaceId/messages/$messageId' })
  const { data } = useSuspenseQuery(api.messages.get.queryOptions({ workspaceId, messageId }))
  const { message, failure, displayed, timeline, next } = data
  return (
    <Page
      title={`${t('page_messages.page_title')} \u2066${message.recipient}\u2069`}
      status={<Status of="message" value={message.status} />}
      back={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$workspaceId/messages" params={{ workspaceId }} />}
        >
          {t('page_messages.back')}
        </Anchor>
      }
      live={live}
    >
      <NextActionAlert next={next} failure={failure} />
      <MessageFacts data={data} />
      {displayed && <MessageContent content={displayed} />}
      <Timeline entries={timeline} />
      <Events data={data} />
    </Page>
  )
}

function MessageFacts({ data: { message } }: { data: MessageData }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { confirmationId, templateName, templateLanguage, reference, sentAt } = message
  const { correlationId, apiKeyId, apiKeyName, providerMessageId } = message
  return (
    <Facts label={t('page_messages.facts')}>
      <Fact title={t('page_messages.to')}>
        <Copyable text={message.recipient} />
      </Fact>
      <Fact title={t('page_messages.kind')}>
        <MessageKind message={message} />
      </Fact>
      <Fact title={t('page_messages.created')}>
        <Time at={message.createdAt} kind="workspace" />
      </Fact>
      <Fact title={t('page_messages.sent')}>
        {sentAt ? <Time at={sentAt} kind="workspace" /> : t('page_messages.not_sent')}
      </Fact>
      <Fact title={t('page_messages.attempts')}>{message.attempts}</Fact>
      <Fact title={t('page_messages.sender')}>
        <span className="as-typed">{message.senderPhone}</span>
      </Fact>
      <Fact title={t('page_messages.template')}>
        {templateName === null ? (
          t('page_messages.none')
        ) : (
          <NamedTemplate name={templateName} language={templateLanguage} />
        )}
      </Fact>
      <Fact title={confirmationId === null ? t('page_messages.reference') : t('page_messages.confirmation')}>
        {reference === null ? t('page_messages.none') : <Copyable text={reference} />}
        {confirmationId !== null && (
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                {...props}
                to="/w/$workspaceId/confirmations/$confirmationId"
                params={{ workspaceId, confirmationId }}
              />
            )}
          >
            {t('page_messages.to_confirmation')}
          </Anchor>
        )}
      </Fact>
      <Fact title={t('page_messages.key')}>
        {apiKeyId === null ? t('page_messages.none') : <MadeBy apiKeyId={apiKeyId} apiKeyName={apiKeyName} />}
      </Fact>
      <Fact title={t('page_messages.correlation')}>
        {correlationId === null ? t('page_messages.none') : <Copyable text={correlationId} />}
      </Fact>
      <Fact title={t('page_messages.id')}>
        <Copyable text={message.id} />
      </Fact>
      {providerMessageId !== null && (
        <Fact title={t('page_messages.provider_id')}>
          <Copyable text={providerMessageId} />
        </Fact>
      )}
    </Facts>
  )
}

function MessageContent({ content: { text: words, choices } }: { content: NonNullable<MessageData['displayed']> }) {
  const { t, textOf } = useTexts()
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {t('page_messages.content')}
      </Title>
      <Paper withBorder p="sm">
        {(textAsWritten(words) ?? textOf(words)).split(' ⏎ ').map((line, index) => (
          <Text key={`${index} ${line}`} dir="auto">
            {line}
          </Text>
        ))}
        {choices.length > 0 && (
          <Group component="ul" gap="xs" mt="xs" p={0} style={{ listStyle: 'none' }}>
            {choices.map((choice) => (
              <Paper component="li" key={choice} withBorder px="sm" py={4} radius="xl" dir="auto">
                {choice}
              </Paper>
            ))}
          </Group>
        )}
      </Paper>
    </section>
  )
}

function Events({ data: { message, events } }: { data: MessageData }) {
  const { t } = useTexts()
  return (
    <section>
      <Title order={2} size="h4">
        {t('page_messages.events')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {message.confirmationId === null ? t('page_messages.events_about') : t('page_messages.events_of_order')}
      </Text>
      {events.length === 0 && message.confirmationId === null && <Text size="sm">{t('page_messages.no_events')}</Text>}
      <Stack gap="sm">
        {events.map(({ id, type, occurredAt, webhooks }) => (
          <Paper key={id} withBorder p="sm">
            <Group gap="sm" mb="xs">
              <code>{type}</code>
              <Text size="sm">
                <Time at={occurredAt} kind="workspace" />
              </Text>
            </Group>
            {webhooks.length === 0 && <Text size="sm">{t('page_messages.no_endpoints')}</Text>}
            <Stack gap={6}>
              {webhooks.map((sent) => (
                <WebhookLine key={sent.deliveryId} sent={sent} about={message.id} />
              ))}
            </Stack>
          </Paper>
        ))}
      </Stack>
    </section>
  )
}
