import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { refreshBlocked } from './block-number.tsx'
import type { BlockedNumber } from './blocked-number.ts'

export function Unblock({ of: { phone, reason }, onDone }: { of: BlockedNumber; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const remove = useMutation(
    api.blocked.remove.mutationOptions({
      async onSuccess() {
        await refreshBlocked()
        notifications.show({ message: t('page_blocked.removed', { phone }) })
        onDone()
      },
    }),
  )
  return (
    <Confirmation
      doing={remove}
      yes={t('page_blocked.remove_it')}
      no={t('page_blocked.keep')}
      colour="red"
      onYes={() => remove.mutate({ workspaceId, phone })}
      onNo={onDone}
    >
      <Text size="sm">{reason === null ? t('page_blocked.remove_no_reason') : t('page_blocked.remove_about')}</Text>
      {reason !== null && (
        <Text size="sm" fs="italic">
          <bdi>{reason}</bdi>
        </Text>
      )}
    </Confirmation>
  )
}
