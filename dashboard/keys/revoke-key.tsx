import { Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { notifications } from '@mantine/notifications'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Confirmation } from '../ui/dialog/confirm-dialog.tsx'
import { Time } from '../ui/time.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import type { Key } from './key.ts'

export function RevokeKey({ of: key, onDone }: { of: Key; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { publicId } = key
  const { data } = useQuery({ ...api.keys.list.queryOptions({ workspaceId }), staleTime: 0 }) // the last use decides
  const { lastUsedAt } = data?.find((each) => each.publicId === publicId) ?? key
  const revoke = useMutation(
    api.keys.revoke.mutationOptions({
      async onSuccess() {
        await queryClient.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) })
        notifications.show({ message: t('page_keys.revoked') })
        onDone()
      },
    }),
  )
  return (
    <Confirmation
      doing={revoke}
      yes={t('page_keys.revoke_it')}
      no={t('page_keys.keep')}
      colour="red"
      onYes={() => revoke.mutate({ workspaceId, publicId })}
      onNo={onDone}
    >
      <Text size="sm">{t('page_keys.revoke_about')}</Text>
      <Text size="sm">
        <code>dck_{publicId}_…</code>
      </Text>
      <Text size="sm">
        {lastUsedAt ? t('page_keys.last_used_at') : t('page_keys.never_used')}{' '}
        {lastUsedAt && <Time at={lastUsedAt} kind="past" form="relative" />}
        {lastUsedAt && '. '}
        {t('page_keys.use_recorded')}
      </Text>
    </Confirmation>
  )
}
