import { Alert, Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { type Answers, api } from '../api.ts'
import { WebhookLine } from '../endpoints/webhook-line.tsx'
import { MadeBy } from '../keys/made-by.tsx'
import { NamedTemplate } from '../templates/named.tsx'
import { ServerSentence, Timeline, WhoMustAct } from '../timeline/timeline.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { useLive } from '../ui/live.ts'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { MessageKind, MessageStatus } from './status.tsx'
import { messageWords } from './words.ts'

type Told = Answers['messages']['get']

export function Message() {
  const text = useWords(messageWords)
  const live = useLive()
  const { workspaceId } = useWorkspace()
  const { messageId } = useParams({ from: '/w/$workspaceId/messages/$messageId' })
  const { data } = useSuspenseQuery(api.messages.get.queryOptions({ workspaceId, messageId }))
  const { message, failure, said, timeline, next } = data
  return (
    <Page
      title={`${text.pageTitle} \u2066${message.recipient}\u2069`}
      about={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link {...props} to="/w/$workspaceId/messages" params={{ workspaceId }} />}
        >
          {text.back}
        </Anchor>
      }
      live={live}
    >
      {failure && (
        <Alert color="red" title={text.failure}>
          <Stack gap={4}>
            <div>
              <code>{failure.code}</code>
            </div>
            <ServerSentence>{failure.message}</ServerSentence>
          </Stack>
        </Alert>
      )}
      <WhoMustAct next={next} />
      <MessageFacts told={data} />
      {said && <Said said={said} />}
      <Timeline entries={timeline} />
      <Events told={data} />
    </Page>
  )
}

function MessageFacts({ told: { message } }: { told: Told }) {
  const text = useWords(messageWords)
  const { workspaceId } = useWorkspace()
  const { confirmationId, templateName, templateLanguage, reference, sentAt } = message
  const { correlationId, apiKeyId, apiKeyName, providerMessageId } = message
  return (
    <Facts label={text.facts}>
      <Fact title={text.status}>
        <MessageStatus status={message.status} />
      </Fact>
      <Fact title={text.to}>
        <Copyable text={message.recipient} />
      </Fact>
      <Fact title={text.kind}>
        <MessageKind message={message} />
      </Fact>
      <Fact title={text.created}>
        <Time at={message.createdAt} />
      </Fact>
      <Fact title={text.sent}>{sentAt ? <Time at={sentAt} /> : text.notSent}</Fact>
      <Fact title={text.attempts}>{message.attempts}</Fact>
      <Fact title={text.sender}>
        <span className="as-typed">{message.senderPhone}</span>
      </Fact>
      <Fact title={text.template}>
        {templateName === null ? text.none : <NamedTemplate name={templateName} language={templateLanguage} />}
      </Fact>
      <Fact title={confirmationId === null ? text.reference : text.confirmation}>
        {reference === null ? text.none : <Copyable text={reference} />}
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
            {text.toConfirmation}
          </Anchor>
        )}
      </Fact>
      <Fact title={text.key}>
        {apiKeyId === null ? text.none : <MadeBy apiKeyId={apiKeyId} apiKeyName={apiKeyName} />}
      </Fact>
      <Fact title={text.correlation}>{correlationId === null ? text.none : <Copyable text={correlationId} />}</Fact>
      <Fact title={text.id}>
        <Copyable text={message.id} />
      </Fact>
      {providerMessageId !== null && (
        <Fact title={text.providerId}>
          <Copyable text={providerMessageId} />
        </Fact>
      )}
    </Facts>
  )
}

function Said({ said: { text: words, choices } }: { said: NonNullable<Told['said']> }) {
  const text = useWords(messageWords)
  return (
    <section>
      <Title order={2} size="h4" mb="xs">
        {text.said}
      </Title>
      <Paper withBorder p="sm">
        {words.split(' ⏎ ').map((line, index) => (
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

function Events({ told: { message, events } }: { told: Told }) {
  const text = useWords(messageWords)
  return (
    <section>
      <Title order={2} size="h4">
        {text.events}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {message.confirmationId === null ? text.eventsAbout : text.eventsOfOrder}
      </Text>
      {events.length === 0 && message.confirmationId === null && <Text size="sm">{text.noEvents}</Text>}
      <Stack gap="sm">
        {events.map(({ id, type, occurredAt, webhooks }) => (
          <Paper key={id} withBorder p="sm">
            <Group gap="sm" mb="xs">
              <code>{type}</code>
              <Text size="sm">
                <Time at={occurredAt} />
              </Text>
            </Group>
            {webhooks.length === 0 && <Text size="sm">{text.noEndpoints}</Text>}
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
