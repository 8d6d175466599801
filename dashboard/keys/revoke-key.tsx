import { Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { notifications } from '@mantine/notifications'
import { api, queries } from '../api.ts'
import { Asked } from '../ui/ask-first.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import type { Key } from './keys.tsx'
import { keyWords } from './words.ts'

export function RevokeKey({ of: { publicId, lastUsedAt }, onDone }: { of: Key; onDone: () => void }) {
  const text = useWords(keyWords)
  const { workspaceId } = useWorkspace()
  const revoke = useMutation(
    api.keys.revoke.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) })
        notifications.show({ message: text.revoked })
        onDone()
      },
    }),
  )
  return (
    <Asked
      doing={revoke}
      yes={text.revokeIt}
      no={text.keep}
      colour="red"
      onYes={() => revoke.mutate({ workspaceId, publicId })}
      onNo={onDone}
    >
      <Text size="sm">{text.revokeAbout}</Text>
      <Text size="sm">
        <code>dck_{publicId}_…</code>
      </Text>
      <Text size="sm">
        {lastUsedAt ? text.lastUsedAt : text.neverUsed} {lastUsedAt && <Time at={lastUsedAt} />}
      </Text>
    </Asked>
  )
}
