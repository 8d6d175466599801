import { Group, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pageQueries } from '../queries.ts'
import { Recipient, Reference } from '../ui/as-typed.tsx'
import { Failed, Loading } from '../ui/fallback.tsx'
import { Status } from '../ui/state/status.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { Transcript } from './transcript.tsx'

export function Conversation({ confirmationId }: { confirmationId: string }) {
  const { workspaceId } = useWorkspace()
  const { data, error } = useQuery(pageQueries.confirmation({ workspaceId, confirmationId }))
  if (error) return <Failed error={error} />
  if (!data) return <Loading as="form" />
  const { reference, recipient, status } = data.confirmation
  return (
    <Stack gap="md">
      <Group gap="xs">
        <Reference of={reference} />
        <Recipient of={recipient} />
        <Status of="confirmation" value={status} />
      </Group>
      <Transcript transcript={data.transcript} />
    </Stack>
  )
}
