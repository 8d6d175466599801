import { Anchor, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Answers } from '../api.ts'
import { StatusBadge } from '../endpoints/state-badge.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { confirmationWords } from './words.ts'

type Webhook = Answers['confirmations']['get']['webhooks'][number]

/** Each event on its way to each endpoint, with the way to its attempts. */
export function Webhooks({ webhooks, confirmationId }: { webhooks: readonly Webhook[]; confirmationId: string }) {
  const text = useWords(confirmationWords)
  const { workspaceId } = useWorkspace()
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
        {webhooks.map(({ deliveryId, type, endpointId, url, status, attempts }) => (
          <Paper key={deliveryId} withBorder p="sm">
            <Group gap="sm">
              <code>{type}</code>
              <StatusBadge delivery={{ status }} />
              <Text size="sm">
                {text.attempts}: <bdi>{attempts}</bdi>
              </Text>
            </Group>
            <Group gap="sm" mt={4}>
              <code style={{ overflowWrap: 'anywhere' }}>{url}</code>
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/w/$workspaceId/endpoints/$endpointId"
                    params={{ workspaceId, endpointId }}
                    search={{ about: confirmationId, delivery: deliveryId }}
                  />
                )}
              >
                {text.inLog}
              </Anchor>
            </Group>
          </Paper>
        ))}
      </Stack>
    </section>
  )
}
