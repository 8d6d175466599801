import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import type { Invitation } from './people.tsx'
import { peopleWords } from './words.ts'

export function RevokeInvitation({
  invitation: { invitationId },
  onDone,
}: {
  invitation: Invitation
  onDone: () => void
}) {
  const text = useWords(peopleWords)
  const { workspaceId } = useWorkspace()
  const revoke = useMutation(
    api.people.revokeInvitation.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) })
        onDone()
      },
    }),
  )
  return (
    <Stack>
      <Text size="sm">{text.revokeAbout}</Text>
      {revoke.error && <Failed error={revoke.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone} data-autofocus>
          {text.cancel}
        </Button>
        <Button color="red" loading={revoke.isPending} onClick={() => revoke.mutate({ workspaceId, invitationId })}>
          {text.revoke}
        </Button>
      </Group>
    </Stack>
  )
}
