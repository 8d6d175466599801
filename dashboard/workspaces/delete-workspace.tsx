import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { DangerDialog } from '../ui/dialog/danger-dialog.tsx'
import { useSession, useWorkspace } from '../ui/workspace.ts'
import { refreshWorkspace } from './refresh.ts'

/** A sandbox is deleted immediately; a live workspace after seven days, during which DeletionBanner offers to cancel. */
export function DeleteWorkspace() {
  const { t } = useTexts()
  const navigate = useNavigate()
  const { workspaces } = useSession()
  const { workspaceId, name, sandbox } = useWorkspace()
  const leave = async (): Promise<void> => {
    const next = workspaces.find((each) => each.workspaceId !== workspaceId)
    if (next) await navigate({ to: '/w/$workspaceId/overview', params: { workspaceId: next.workspaceId } })
    else await navigate({ to: '/new-workspace' })
  }
  const ask = useMutation(
    api.workspaces.askDeletion.mutationOptions({
      async onSuccess() {
        if (sandbox) {
          await leave()
          notifications.show({ message: t('page_workspaces.deleted', { name }) })
        }
        await refreshWorkspace(workspaceId)
      },
    }),
  )
  const means = sandbox ? t('page_workspaces.delete_sandbox_means') : t('page_workspaces.delete_live_means')
  return (
    <Stack gap="xs" component="section" aria-labelledby="delete-workspace">
      <Title order={2} size="h4" id="delete-workspace">
        {t('page_workspaces.delete')}
      </Title>
      <Paper withBorder p="md">
        <Group justify="space-between">
          <Text size="sm" flex={1} miw={240} maw={720}>
            {means}
          </Text>
          <DangerDialog
            label={t('page_workspaces.delete')}
            title={t('page_workspaces.delete_title', { name })}
            name={name}
            yes={t('page_workspaces.delete')}
            doing={ask}
            onYes={(typed) => ask.mutateAsync({ workspaceId, name: typed })}
          >
            <Text size="sm">{means}</Text>
            <Text size="sm">{t('page_workspaces.delete_loses')}</Text>
          </DangerDialog>
        </Group>
      </Paper>
    </Stack>
  )
}
