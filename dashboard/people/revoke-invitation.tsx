import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import type { Invitation } from './dialog-action.ts'

export function RevokeInvitation({
  invitation: { invitationId },
  onDone,
}: {
  invitation: Invitation
  onDone: () => void
}) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const revoke = useMutation(
    api.people.revokeInvitation.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) })
        onDone()
      },
    }),
  )
  return (
    <Confirmation
      doing={revoke}
      yes={t('page_people.revoke')}
      no={t('page_people.cancel')}
      colour="red"
      onYes={() => revoke.mutate({ workspaceId, invitationId })}
      onNo={onDone}
    >
      <Text size="sm">{t('page_people.revoke_about')}</Text>
    </Confirmation>
  )
}
