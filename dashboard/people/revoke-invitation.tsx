import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import { Asked } from '../ui/ask-first.tsx'
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
    <Asked
      doing={revoke}
      yes={text.revoke}
      no={text.cancel}
      colour="red"
      onYes={() => revoke.mutate({ workspaceId, invitationId })}
      onNo={onDone}
    >
      <Text size="sm">{text.revokeAbout}</Text>
    </Asked>
  )
}
