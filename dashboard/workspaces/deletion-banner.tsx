import { Box, Button, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { api, queryClient } from '../api.ts'
import { COMMAND_LINE } from '../audit-log/action.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/fallback.tsx'
import { OutcomeBanner } from '../ui/state/status.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'

/** Shown on every page of a workspace that waits for its deletion. */
export function DeletionBanner() {
  const { t } = useTexts()
  const may = usePermissions()
  const { workspaceId, deletionDueAt, deletionRequestedBy: who } = useWorkspace()
  const cancel = useMutation(
    api.workspaces.cancelDeletion.mutationOptions({
      async onSuccess() {
        await refreshWorkspace(workspaceId)
        notifications.show({ message: t('page_workspaces.deletion_cancelled') })
      },
    }),
  )
  if (deletionDueAt === null) return null
  return (
    <Box maw={1200} mx="auto" mb="lg">
      <OutcomeBanner
        tone="warning"
        title={
          <>
            {t('page_workspaces.deletion_due')} <Time at={deletionDueAt} kind="due" />
          </>
        }
        action={
          may.own && (
            <Button variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ workspaceId })}>
              {t('page_workspaces.cancel_deletion')}
            </Button>
          )
        }
      >
        <Text size="sm">
          {who === COMMAND_LINE
            ? t('page_workspaces.deletion_requested_by_command')
            : who !== null && t('page_workspaces.deletion_requested_by', { who })}{' '}
          {t('page_workspaces.deletion_means')} {!may.own && t('page_workspaces.deletion_owners_cancel')}
        </Text>
        {cancel.error && <Failed error={cancel.error} />}
      </OutcomeBanner>
    </Box>
  )
}

/** Refreshes the session too, which has the workspace's name. */
export async function refreshWorkspace(workspaceId: string): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: api.session.pathKey() }),
    queryClient.invalidateQueries({ queryKey: api.workspaces.get.queryKey({ workspaceId }) }),
  ])
}
