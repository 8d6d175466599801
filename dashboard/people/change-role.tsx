import { Button, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import type { Member } from './dialog-action.ts'
import { RoleChoice } from './role-choice.tsx'

export function ChangeRole({ member: { userId, role }, onDone }: { member: Member; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const [chosen, setChosen] = useState(role)
  const change = useMutation(
    api.people.changeRole.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries() // users may change their own role
        notifications.show({ message: t('page_people.role_changed') })
        onDone()
      },
    }),
  )
  return (
    <Stack>
      <RoleChoice value={chosen} onChange={(value) => setChosen(value as Member['role'])} />
      {change.error && <Failed error={change.error} />}
      <Button
        disabled={chosen === role}
        loading={change.isPending}
        onClick={() => change.mutate({ workspaceId, userId, role: chosen })}
      >
        {t('page_people.change_role')}
      </Button>
    </Stack>
  )
}
