import { Badge, Button, Group, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, faultsOf, queries } from '../api.ts'
import { Copyable } from '../ui/copy.tsx'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Allowances } from './allowances.tsx'
import { workspaceWords } from './words.ts'

export function Settings() {
  const text = useWords(workspaceWords)
  const { data: mayCreate } = useSuspenseQuery(api.workspaces.mayCreate.queryOptions())
  const another = mayCreate && (
    <Button variant="default" renderRoot={(props) => <Link {...props} to="/new-workspace" />}>
      {text.another}
    </Button>
  )
  return (
    <Page title={text.title} actions={another}>
      <About />
      <Allowances />
    </Page>
  )
}

function About() {
  const text = useWords(workspaceWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const { data } = useSuspenseQuery(api.workspaces.get.queryOptions({ workspaceId }))
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="about-workspace">
      <Stack>
        <Title order={2} size="h4" id="about-workspace">
          {text.about}
        </Title>
        {may.change ? <Rename key={data.name} name={data.name} /> : <Fact title={text.name}>{data.name}</Fact>}
        <Fact title={text.id} hint={text.idHint}>
          <Copyable text={data.workspaceId} />
        </Fact>
        <Fact title={text.kind}>
          <Group gap="xs">
            <Badge variant="light">{data.sandbox ? text.sandbox : text.live}</Badge>
            <Text size="sm" flex={1} miw={220}>
              {data.sandbox ? text.sandboxMeans : text.liveMeans}
            </Text>
          </Group>
        </Fact>
        <Fact title={text.created}>
          <Text size="sm">
            <Time at={data.createdAt} />
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
  const text = useWords(workspaceWords)
  const { workspaceId } = useWorkspace()
  const faultsIn = useFaults({ name: text.name })
  const form = useForm({ initialValues: { name } })
  const rename = useMutation(
    api.workspaces.rename.mutationOptions({
      async onSuccess() {
        await Promise.all([
          queries.invalidateQueries({ queryKey: api.session.current.queryKey() }),
          queries.invalidateQueries({ queryKey: api.workspaces.get.queryKey({ workspaceId }) }),
        ])
        notifications.show({ message: text.renamed })
      },
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <form onSubmit={form.onSubmit((values) => rename.mutate({ workspaceId, ...values }))}>
      <Group align="flex-end" gap="xs">
        <TextInput label={text.name} flex={1} miw={200} maw={420} {...form.getInputProps('name')} />
        <Button type="submit" variant="default" loading={rename.isPending} disabled={!form.isDirty()}>
          {text.rename}
        </Button>
      </Group>
      {rename.error && faultsOf(rename.error).length === 0 && <Failed error={rename.error} />}
    </form>
  )
}
