import { Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Conversation } from '../confirmations/preview.tsx'
import { pageQueries } from '../queries.ts'
import { Recipient } from '../ui/as-typed.tsx'
import { Failed, Loading } from '../ui/fallback.tsx'
import { Status } from '../ui/state/status.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { Content } from './message.tsx'

/** What the customer reads; of an order, the whole conversation. */
export function MessagePreview({ messageId }: { messageId: string }) {
  const { workspaceId } = useWorkspace()
  const { data, error } = useQuery(pageQueries.message({ workspaceId, messageId }))
  if (error) return <Failed error={error} />
  if (!data) return <Loading as="form" />
  const { recipient, status, confirmationId } = data.message
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Recipient of={recipient} />
        <Status of="message" value={status} />
      </Group>
      {confirmationId === null ? <Content data={data} /> : <Conversation confirmationId={confirmationId} />}
    </Stack>
  )
}
