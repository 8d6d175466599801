import { Group, Text } from '@mantine/core'
import { useTexts } from '../../texts/use-texts.ts'
import { LogLink } from './log-link.tsx'
import type { Delivery } from './search.ts'
import { StatusBadge } from '../state-badge.tsx'

type Sent = Pick<Delivery, 'deliveryId' | 'status' | 'attempts'> & { endpointId: string; url: string }

/** One delivery with a link to its attempts. `about`: the message or order of the event. */
export function WebhookLine({ sent, about }: { sent: Sent; about: string }) {
  const { t } = useTexts()
  const { url, attempts } = sent
  return (
    <Group gap="sm">
      <StatusBadge delivery={sent} />
      <code style={{ overflowWrap: 'anywhere' }}>{url}</code>
      <Text size="sm">{t('page_endpoints.attempts_made', { count: attempts })}</Text>
      <LogLink of={sent} about={about} label={t('page_endpoints.in_log')} />
    </Group>
  )
}
