import { Button, Stack } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import type { Member } from './people.tsx'
import { RoleChoice } from './role-choice.tsx'
import { peopleWords } from './words.ts'

export function ChangeRole({ member: { userId, role }, onDone }: { member: Member; onDone: () => void }) {
  const text = useWords(peopleWords)
  const { workspaceId } = useWorkspace()
  const [chosen, setChosen] = useState(role)
  const change = useMutation(
    api.people.changeRole.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries() // it may be one's own role, and what one may do with it
        notifications.show({ message: text.roleChanged })
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
        {text.changeRole}
      </Button>
    </Stack>
  )
}
