import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { ConfirmDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Section } from '../ui/facts.tsx'
import { Failed } from '../ui/fallback.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { refreshWorkspace } from './deletion-banner.tsx'

/** Fills a sandbox with a demo month, and empties it. SandboxWorkBanner shows the progress. */
export function DemoMonth() {
  const { t } = useTexts()
  const { workspaceId, name, sandboxWork } = useWorkspace()
  const hasSent = useQuery(api.phone.hasSent.queryOptions({ workspaceId }))
  const onSuccess = (): Promise<void> => refreshWorkspace(workspaceId)
  const fill = useMutation(api.phone.fill.mutationOptions({ onSuccess }))
  const empty = useMutation(api.phone.empty.mutationOptions({ onSuccess }))
  return (
    <Section title={t('page_workspaces.demo')}>
      <Paper withBorder p="md">
        <Stack>
          <Group justify="space-between">
            <Text size="sm" flex={1} miw={240} maw={720}>
              {t('page_workspaces.fill_means')}
            </Text>
            <Button
              variant="default"
              loading={fill.isPending}
              disabled={sandboxWork !== null || hasSent.data !== false}
              onClick={() => fill.mutate({ workspaceId })}
            >
              {t('page_workspaces.fill')}
            </Button>
          </Group>
          {fill.error && <Failed error={fill.error} />}
          <Group justify="space-between">
            <Text size="sm" flex={1} miw={240} maw={720}>
              {t('page_workspaces.empty_means')}
            </Text>
            <ConfirmDialog
              label={t('page_workspaces.empty')}
              title={t('page_workspaces.empty_title', { name })}
              yes={t('page_workspaces.empty')}
              colour="red"
              doing={empty}
              onYes={() => empty.mutateAsync({ workspaceId })}
            >
              <Text size="sm">{t('page_workspaces.empty_means')}</Text>
            </ConfirmDialog>
          </Group>
        </Stack>
      </Paper>
    </Section>
  )
}
