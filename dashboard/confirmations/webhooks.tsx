import { Paper, Stack, Text, Title } from '@mantine/core'
import type { Answers } from '../api.ts'
import { WebhookLine } from '../endpoints/webhook-line.tsx'
import { useWords } from '../words.ts'
import { confirmationWords } from './words.ts'

type Webhook = Answers['confirmations']['get']['webhooks'][number]

/** Each event on its way to each endpoint. */
export function Webhooks({ webhooks, confirmationId }: { webhooks: readonly Webhook[]; confirmationId: string }) {
  const text = useWords(confirmationWords)
  return (
    <section>
      <Title order={2} size="h4">
        {text.webhooks}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {text.webhooksAbout}
      </Text>
      {webhooks.length === 0 && <Text size="sm">{text.noWebhooks}</Text>}
      <Stack gap="xs">
        {webhooks.map((sent) => (
          <Paper key={sent.deliveryId} withBorder p="sm">
            <Stack gap={6}>
              <code>{sent.type}</code>
              <WebhookLine sent={sent} about={confirmationId} />
            </Stack>
          </Paper>
        ))}
      </Stack>
    </section>
  )
}
