import { Alert, Button, Container, Group, Paper, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, Suspense } from 'react'
import { api, faultsOf, queries } from '../api.ts'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/page.tsx'
import { useSession } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { workspaceWords } from './words.ts'

export function NewWorkspace() {
  const text = useWords(workspaceWords)
  return (
    <Container component="main" size="sm" py="xl">
      <Page title={text.newTitle} about={text.newAbout}>
        <Suspense fallback={<Loading />}>
          <Making />
        </Suspense>
      </Page>
    </Container>
  )
}

function Making() {
  const text = useWords(workspaceWords)
  const { workspaces } = useSession()
  const { data: mayCreate } = useSuspenseQuery(api.workspaces.mayCreate.queryOptions())
  const back = workspaces.length > 0 && (
    <Button variant="default" renderRoot={(props) => <Link {...props} to="/" />}>
      {text.back}
    </Button>
  )
  if (mayCreate) return <NewWorkspaceForm back={back} />
  return (
    <Stack>
      <Alert color="yellow">{text.mayNot}</Alert>
      {back}
    </Stack>
  )
}

function NewWorkspaceForm({ back }: { back: ReactNode }) {
  const text = useWords(workspaceWords)
  const navigate = useNavigate()
  const faultsIn = useFaults({ name: text.name })
  const form = useForm({ initialValues: { name: '', kind: 'sandbox' } })
  const create = useMutation(
    api.workspaces.create.mutationOptions({
      async onSuccess({ workspaceId }) {
        await queries.invalidateQueries({ queryKey: api.session.current.queryKey() })
        await navigate({ to: '/w/$workspaceId/overview', params: { workspaceId } })
      },
      onError: (error) => form.setErrors(faultsIn(error)),
    }),
  )
  return (
    <Paper withBorder p="lg">
      <form onSubmit={form.onSubmit(({ name, kind }) => create.mutate({ name, sandbox: kind === 'sandbox' }))}>
        <Stack>
          <TextInput label={text.name} description={text.nameHint} {...form.getInputProps('name')} />
          <Radio.Group label={text.kind} description={text.kindStays} {...form.getInputProps('kind')}>
            <Stack gap="xs" mt="sm">
              <Radio value="sandbox" label={text.sandbox} description={text.sandboxMeans} />
              <Radio value="live" label={text.live} description={text.liveMeans} />
            </Stack>
          </Radio.Group>
          {create.error && faultsOf(create.error).length === 0 && <Failed error={create.error} />}
          <Group justify="flex-end">
            {back}
            <Button type="submit" loading={create.isPending}>
              {text.create}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  )
}
