import { Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/as-typed.tsx'
import { DangerDialog } from '../ui/dialog/confirm-dialog.tsx'
import { Facts, Section } from '../ui/facts.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useSession, useWorkspace } from '../ui/workspace.ts'
import { DemoMonth } from './demo-month.tsx'
import { refreshWorkspace } from './deletion-banner.tsx'
import { Quotas } from './quotas.tsx'
import { RecipientData } from './recipient-data.tsx'

export function Settings() {
  const { t } = useTexts()
  const may = usePermissions()
  const { deletionDueAt, sandbox } = useWorkspace()
  const { data: mayCreate } = useSuspenseQuery(api.workspaces.mayCreate.queryOptions())
  const another = mayCreate && (
    <ButtonLink variant="default" to="/new-workspace">
      {t('page_workspaces.another')}
    </ButtonLink>
  )
  return (
    <Page title={t('page_workspaces.title')} actions={another}>
      <WorkspaceFacts />
      <Quotas />
      {sandbox && may.change && <DemoMonth />}
      {may.own && <RecipientData />}
      {may.own && deletionDueAt === null && <DeleteWorkspace />}
    </Page>
  )
}

function WorkspaceFacts() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const { data } = useSuspenseQuery(pageQueries.workspace({ workspaceId }))
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t('page_workspaces.about')}
      </Title>
      <Facts
        label={t('page_workspaces.about')}
        form="column"
        of={[
          [t('page_workspaces.name'), may.change ? <Rename key={data.name} name={data.name} /> : data.name],
          [t('page_workspaces.id'), <Copyable text={data.workspaceId} />],
          [t('page_workspaces.kind'), data.sandbox ? t('page_workspaces.sandbox') : t('page_workspaces.live')],
          [t('page_workspaces.created'), <Time at={data.createdAt} kind="past" />],
        ]}
      />
    </Stack>
  )
}

function Rename({ name }: { name: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { name: t('page_workspaces.name') }
  const form = useServerForm(labels, { name })
  const rename = useMutation(
    api.workspaces.rename.mutationOptions({
      async onSuccess() {
        await refreshWorkspace(workspaceId)
        notifications.show({ message: t('page_workspaces.renamed') })
      },
      onError: form.showFaults,
    }),
  )
  return (
    <ServerForm form={form} call={rename} gap="xs" onSubmit={(values) => rename.mutate({ workspaceId, ...values })}>
      <Group align="flex-start" gap="xs">
        <TextInput
          aria-label={t('page_workspaces.name')}
          flex={1}
          miw={120}
          maw={420}
          {...form.getInputProps('name')}
        />
        <Button type="submit" variant="default" loading={rename.isPending} disabled={!form.isDirty()}>
          {t('page_workspaces.rename')}
        </Button>
      </Group>
    </ServerForm>
  )
}

/** A sandbox is deleted immediately; a live workspace after seven days, during which DeletionBanner offers to cancel. */
function DeleteWorkspace() {
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
    api.workspaces.requestDeletion.mutationOptions({
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
    <Section title={t('page_workspaces.delete')}>
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
    </Section>
  )
}
