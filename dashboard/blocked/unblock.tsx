import { Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api } from '../api.ts'
import { Asked } from '../ui/ask-first.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { forgetBlocked } from './block-number.tsx'
import type { Row } from './blocked.tsx'
import { blockedWords } from './words.ts'

export function Unblock({ of: { phone, reason }, onDone }: { of: Row; onDone: () => void }) {
  const text = useWords(blockedWords)
  const { workspaceId } = useWorkspace()
  const remove = useMutation(
    api.blocked.remove.mutationOptions({
      async onSuccess() {
        await forgetBlocked()
        notifications.show({ message: text.removed(phone) })
        onDone()
      },
    }),
  )
  return (
    <Asked
      doing={remove}
      yes={text.removeIt}
      no={text.keep}
      colour="red"
      onYes={() => remove.mutate({ workspaceId, phone })}
      onNo={onDone}
    >
      <Text size="sm">{reason === null ? text.removeNoReason : text.removeAbout}</Text>
      {reason !== null && (
        <Text size="sm" fs="italic">
          <bdi>{reason}</bdi>
        </Text>
      )}
    </Asked>
  )
}
