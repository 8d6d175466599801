import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../api.ts'
import { Asked } from '../ui/ask-first.tsx'
import { useSession, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import type { Member } from './people.tsx'
import { peopleWords } from './words.ts'

/** Takes somebody out of the workspace, or oneself. */
export function Remove({ member: { userId, email }, onDone }: { member: Member; onDone: () => void }) {
  const text = useWords(peopleWords)
  const { workspaceId } = useWorkspace()
  const { person } = useSession()
  const own = userId === person.userId
  const remove = useMutation(
    api.people.remove.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) })
        notifications.show({ message: text.removed })
        onDone()
      },
    }),
  )
  const leave = useMutation(api.people.leave.mutationOptions({ onSuccess: () => location.assign('/dashboard/') }))
  return (
    <Asked
      doing={own ? leave : remove}
      yes={own ? text.leave : text.remove}
      no={text.cancel}
      colour="red"
      onYes={() => (own ? leave.mutate({ workspaceId }) : remove.mutate({ workspaceId, userId }))}
      onNo={onDone}
    >
      <Text size="sm">{own ? text.leaveAbout : text.removeAbout}</Text>
      {!own && (
        <Text size="sm" className="as-typed">
          {email}
        </Text>
      )}
    </Asked>
  )
}
