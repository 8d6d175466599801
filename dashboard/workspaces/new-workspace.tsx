import { Alert, Button, Container, Group, Paper, Radio, Stack, TextInput } from '@mantine/core'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { api, queryClient } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Loading } from '../ui/fallback.tsx'
import { ServerForm, useServerForm } from '../ui/form/server-form.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { Page } from '../ui/shell/page.tsx'
import { PlainShell } from '../ui/shell/shell.tsx'
import { useSession } from '../ui/workspace.ts'

export function NewWorkspace() {
  const { t } = useTexts()
  return (
    <PlainShell>
      <Container size="sm" px={0}>
        <Page title={t('page_workspaces.new_title')} about={t('page_workspaces.new_about')}>
          <Suspense fallback={<Loading />}>
            <NewWorkspaceIfAllowed />
          </Suspense>
        </Page>
      </Container>
    </PlainShell>
  )
}

function NewWorkspaceIfAllowed() {
  const { t } = useTexts()
  const { workspaces } = useSession()
  const { data: mayCreate } = useSuspenseQuery(api.workspaces.mayCreate.queryOptions())
  const back = workspaces.length > 0 && (
    <ButtonLink variant="default" to="/">
      {t('page_workspaces.back')}
    </ButtonLink>
  )
  if (mayCreate) return <NewWorkspaceForm back={back} />
  return (
    <Stack>
      <Alert color="warning">{t('page_workspaces.may_not')}</Alert>
      {back}
    </Stack>
  )
}

function NewWorkspaceForm({ back }: { back: ReactNode }) {
  const { t } = useTexts()
  const navigate = useNavigate()
  const labels = { name: t('page_workspaces.name') }
  const form = useServerForm(labels, { name: '', kind: 'sandbox' })
  const create = useMutation(
    api.workspaces.create.mutationOptions({
      async onSuccess({ workspaceId }, { sandbox }) {
        await queryClient.invalidateQueries({ queryKey: api.session.pathKey() })
        await navigate({ to: `/w/$workspaceId/${sandbox ? 'quickstart' : 'overview'}`, params: { workspaceId } })
      },
      onError: form.showFaults,
    }),
  )
  return (
    <Paper withBorder p="lg">
      <ServerForm
        form={form}
        call={create}
        onSubmit={({ name, kind }) => create.mutate({ name, sandbox: kind === 'sandbox' })}
      >
        <TextInput description={t('page_workspaces.name_hint')} {...form.field('name')} />
        <Radio.Group
          label={t('page_workspaces.kind')}
          description={t('page_workspaces.kind_stays')}
          {...form.getInputProps('kind')}
        >
          <Stack gap="xs" mt="sm">
            <Radio
              value="sandbox"
              label={t('page_workspaces.sandbox')}
              description={t('page_workspaces.sandbox_means')}
            />
            <Radio value="live" label={t('page_workspaces.live')} description={t('page_workspaces.live_means')} />
          </Stack>
        </Radio.Group>
        <Group justify="flex-end">
          {back}
          <Button type="submit" loading={create.isPending}>
            {t('page_workspaces.create')}
          </Button>
        </Group>
      </ServerForm>
    </Paper>
  )
}
