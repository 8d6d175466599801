import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { useSession, useWorkspace } from '../ui/workspace.ts'
import type { Member } from './dialog-action.ts'

/** Removes a person from the workspace, or leaves it. */
export function Remove({ member: { userId, email }, onDone }: { member: Member; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { person } = useSession()
  const own = userId === person.userId
  const remove = useMutation(
    api.people.remove.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) })
        notifications.show({ message: t('page_people.removed') })
        onDone()
      },
    }),
  )
  const leave = useMutation(api.people.leave.mutationOptions({ onSuccess: () => location.assign('/dashboard/') }))
  return (
    <Confirmation
      doing={own ? leave : remove}
      yes={own ? t('page_people.leave') : t('page_people.remove')}
      no={t('page_people.cancel')}
      colour="red"
      onYes={() => (own ? leave.mutate({ workspaceId }) : remove.mutate({ workspaceId, userId }))}
      onNo={onDone}
    >
      <Text size="sm">{own ? t('page_people.leave_about') : t('page_people.remove_about')}</Text>
      {!own && (
        <Text size="sm" className="as-typed">
          {email}
        </Text>
      )}
    </Confirmation>
  )
}
