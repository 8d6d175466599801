import { Badge, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Copyable } from '../ui/copy.tsx'
import { useFaults } from '../ui/faults.ts'
import { FormErrors } from '../ui/form/form-errors.tsx'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Quotas } from './quotas.tsx'

export function Settings() {
  const { t } = useTexts()
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
    </Page>
  )
}

function WorkspaceFacts() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const { data } = useSuspenseQuery(api.workspaces.get.queryOptions({ workspaceId }))
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="about-workspace">
      <Stack>
        <Title order={2} size="h4" id="about-workspace">
          {t('page_workspaces.about')}
        </Title>
        {may.change ? (
          <Rename key={data.name} name={data.name} />
        ) : (
          <Fact title={t('page_workspaces.name')}>{data.name}</Fact>
        )}
        <Fact title={t('page_workspaces.id')} hint={t('page_workspaces.id_hint')}>
          <Copyable text={data.workspaceId} />
        </Fact>
        <Fact title={t('page_workspaces.kind')}>
          <Group gap="xs">
            <Badge variant="light">{data.sandbox ? t('page_workspaces.sandbox') : t('page_workspaces.live')}</Badge>
            <Text size="sm" flex={1} miw={220}>
              {data.sandbox ? t('page_workspaces.sandbox_means') : t('page_workspaces.live_means')}
            </Text>
          </Group>
        </Fact>
        <Fact title={t('page_workspaces.created')}>
          <Text size="sm">
            <Time at={data.createdAt} kind="past" />
          </Text>
        </Fact>
      </Stack>
    </Paper>
  )
}

function Fact({ title, hint, children }: { title: string; hint?: string; children: ReactNode }) {
  return (
    <div>
      <Text size="sm" fw={500}>
        {title}
      </Text>
      {hint !== undefined && (
        <Text size="xs" c="dimmed">
          {hint}
        </Text>
      )}
      {children}
    </div>
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
        await Promise.all([
          queryClient.invalidateQueries({ queryKey: api.session.current.queryKey() }),
          queryClient.invalidateQueries({ queryKey: api.workspaces.get.queryKey({ workspaceId }) }),
        ])
        notifications.show({ message: t('page_workspaces.renamed') })
      },
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form noValidate onSubmit={form.onSubmit((values) => rename.mutate({ workspaceId, ...values }))}>
      <Stack gap="xs">
        <FormErrors errors={form.errors} labels={labels} failed={rename.error} />
        <Group align="flex-end" gap="xs">
          <TextInput label={t('page_workspaces.name')} flex={1} miw={200} maw={420} {...form.getInputProps('name')} />
          <Button type="submit" variant="default" loading={rename.isPending} disabled={!form.isDirty()}>
            {t('page_workspaces.rename')}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
