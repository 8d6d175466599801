import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { type Answers, api, faultsOf, queries } from '../api.ts'
import { Copyable } from '../ui/copy.tsx'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { List } from '../ui/list.tsx'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { keyWords } from './words.ts'

type Key = Answers['keys']['list'][number]

export function Keys() {
  const text = useWords(keyWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const [creating, { open, close }] = useDisclosure()
  const { data } = useSuspenseQuery(api.keys.list.queryOptions({ workspaceId }))
  const create = may.change && <Button onClick={open}>{text.create}</Button>
  return (
    <Page title={text.title} about={text.about} actions={data.length > 0 && create}>
      {data.length === 0 ? <Empty action={create}>{text.empty}</Empty> : <KeyList keys={data} />}
      <Modal opened={creating} onClose={close} title={text.create}>
        <NewKey onDone={close} />
      </Modal>
    </Page>
  )
}

function KeyList({ keys }: { keys: readonly Key[] }) {
  const text = useWords(keyWords)
  return (
    <List
      label={text.title}
      rows={keys}
      keyOf={({ publicId }) => publicId}
      columns={[
        { title: text.name, cell: ({ name }) => name },
        { title: text.key, cell: ({ publicId }) => <code>dck_{publicId}_…</code> },
        { title: text.created, cell: ({ createdAt }) => <Time at={createdAt} /> },
        { title: text.lastUsed, cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : text.never) },
      ]}
    />
  )
}

function NewKey({ onDone }: { onDone: () => void }) {
  const text = useWords(keyWords)
  const { workspaceId } = useWorkspace()
  const form = useForm({ initialValues: { name: '' } })
  const create = useMutation(
    api.keys.create.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.keys.list.queryKey({ workspaceId }) }),
      onError: (error) =>
        form.setErrors(Object.fromEntries(faultsOf(error).map(({ path, message }) => [path, message]))),
    }),
  )
  if (create.data) {
    return (
      <Stack>
        <Text fw={600}>{text.onceTitle}</Text>
        <Copyable text={create.data.apiKey} block />
        <Text size="sm">{text.once}</Text>
        <Button onClick={onDone}>{text.done}</Button>
      </Stack>
    )
  }
  return (
    <form onSubmit={form.onSubmit((values) => create.mutate({ workspaceId, ...values }))}>
      <Stack>
        <TextInput label={text.name} description={text.nameHint} data-autofocus {...form.getInputProps('name')} />
        {create.error && faultsOf(create.error).length === 0 && <Failed error={create.error} />}
        <Button type="submit" loading={create.isPending}>
          {text.create}
        </Button>
      </Stack>
    </form>
  )
}
