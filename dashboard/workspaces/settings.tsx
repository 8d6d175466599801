import { Button, Group, Stack, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { RecipientData } from '../recipients/recipient-data.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Fact, Facts } from '../ui/facts.tsx'
import { useFaults } from '../ui/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { DeleteWorkspace } from './delete-workspace.tsx'
import { Quotas } from './quotas.tsx'
import { refreshWorkspace } from './refresh.ts'

export function Settings() {
  const { t } = useTexts()
  const may = usePermissions()
  const { deletionDueAt } = useWorkspace()
  const { data: mayCreate } = useSuspenseQuery(api.workspaces.mayCreate.queryOptions())
  const another = mayCreate && (
    <Button variant="default" renderRoot={(props) => <Link {...props} to="/new-workspace" />}>
      {t('page_workspaces.another')}
    </Button>
  )
  return (
    <Page title={t('page_workspaces.title')} actions={another}>
      <WorkspaceFacts />
      <Quotas />
      {may.own && <RecipientData />}
      {may.own && deletionDueAt === null && <DeleteWorkspace />}
    </Page>
  )
}

function WorkspaceFacts() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const { data } = useSuspenseQuery(api.workspaces.get.queryOptions({ workspaceId }))
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {t('page_workspaces.about')}
      </Title>
      <Facts label={t('page_workspaces.about')} form="column">
        <Fact title={t('page_workspaces.name')}>
          {may.change ? <Rename key={data.name} name={data.name} /> : data.name}
        </Fact>
        <Fact title={t('page_workspaces.id')}>
          <Copyable text={data.workspaceId} />
        </Fact>
        <Fact title={t('page_workspaces.kind')}>
          {data.sandbox ? t('page_workspaces.sandbox') : t('page_workspaces.live')}
        </Fact>
        <Fact title={t('page_workspaces.created')}>
          <Time at={data.createdAt} kind="past" />
        </Fact>
      </Facts>
    </Stack>
  )
}

function Rename({ name }: { name: string }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const labels = { name: t('page_workspaces.name') }
  const faultsIn = useFaults(labels)
  const form = useForm({ initialValues: { name } })
  const rename = useMutation(
    api.workspaces.rename.mutationOptions({
      async onSuccess() {
        await refreshWorkspace(workspaceId)
        notifications.show({ message: t('page_workspaces.renamed') })
      },
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form noValidate onSubmit={form.onSubmit((values) => rename.mutate({ workspaceId, ...values }))}>
      <Stack gap="xs">
        <FormErrors errors={form.errors} labels={labels} failed={rename.error} />
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
      </Stack>
    </form>
  )
}
