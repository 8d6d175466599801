import { Button, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { LinkOnce } from './link-once.tsx'
import type { Invitation } from './dialog-action.ts'

/** Another link for an invitation whose link was lost or has expired. */
export function NewLink({ invitation: { email, role }, onDone }: { invitation: Invitation; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const invite = useMutation(
    api.people.invite.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.people.list.queryKey({ workspaceId }) }),
    }),
  )
  if (invite.data) return <LinkOnce {...invite.data} about={t('page_people.invite_once', { email })} onDone={onDone} />
  return (
    <Stack>
      <Text size="sm">{t('page_people.new_link_about')}</Text>
      {invite.error && <Failed error={invite.error} />}
      <Button loading={invite.isPending} onClick={() => invite.mutate({ workspaceId, email, role })}>
        {t('page_people.make_link')}
      </Button>
    </Stack>
  )
}
