import { Paper, Stack, Text, Title } from '@mantine/core'
import type { RouterOutputs } from '../api.ts'
import { WebhookLine } from '../endpoints/deliveries/webhook-line.tsx'
import { useTexts } from '../texts/use-texts.ts'

type Webhook = RouterOutputs['confirmations']['get']['webhooks'][number]

export function Webhooks({ webhooks, confirmationId }: { webhooks: readonly Webhook[]; confirmationId: string }) {
  const { t } = useTexts()
  return (
    <section>
      <Title order={2} size="h4">
        {t('page_confirmations.webhooks')}
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        {t('page_confirmations.webhooks_about')}
      </Text>
      {webhooks.length === 0 && <Text size="sm">{t('page_confirmations.no_webhooks')}</Text>}
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
