import { Group, Text } from '@mantine/core'
import { useWords } from '../words.ts'
import { InLog } from './in-log.tsx'
import type { Delivery } from './search.ts'
import { StatusBadge } from './state-badge.tsx'
import { endpointWords } from './words.ts'

type Sent = Pick<Delivery, 'deliveryId' | 'status' | 'attempts'> & { endpointId: string; url: string }

/** One event on its way to one endpoint, with the way to its attempts. `about`: the message or order of the event. */
export function WebhookLine({ sent, about }: { sent: Sent; about: string }) {
  const text = useWords(endpointWords)
  const { url, status, attempts } = sent
  return (
    <Group gap="sm">
      <StatusBadge delivery={{ status }} />
      <code style={{ overflowWrap: 'anywhere' }}>{url}</code>
      <Text size="sm">{text.attemptsMade(attempts)}</Text>
      <InLog of={sent} about={about} label={text.inLog} />
    </Group>
  )
}
