import { Anchor, Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Answers, api, queries } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed, sentenceOf } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { List } from '../ui/list.tsx'
import { useLive } from '../ui/live.ts'
import { Page } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { SecretOnce } from './secret-once.tsx'
import { StateBadge } from './state-badge.tsx'
import { stateOf } from './why.ts'
import { endpointWords } from './words.ts'

type Listed = Answers['endpoints']['list']['endpoints'][number]

export function Endpoints() {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const may = useMay()
  const live = useLive()
  const [adding, { open, close }] = useDisclosure()
  const { data } = useSuspenseQuery(api.endpoints.list.queryOptions({ workspaceId }))
  const isFull = data.endpoints.length >= data.most
  const add = may.change && !isFull && <Button onClick={open}>{text.add}</Button>
  const isEmpty = data.endpoints.length === 0
  return (
    <Page title={text.title} about={text.about} live={live} actions={!isEmpty && add}>
      {isEmpty ? (
        <Empty action={add}>{text.empty}</Empty>
      ) : (
        <EndpointList endpoints={data.endpoints} countedMost={data.countedMost} />
      )}
      {may.change && isFull && <Text size="sm">{text.full(data.most)}</Text>}
      <Modal closeOnClickOutside={false} opened={adding} onClose={close} title={text.add} size="lg">
        <NewEndpoint onDone={close} />
      </Modal>
    </Page>
  )
}

function EndpointList({ endpoints, countedMost }: { endpoints: readonly Listed[]; countedMost: number }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const count = (n: number | undefined): string => text.upTo(n ?? 0, countedMost)
  return (
    <List
      label={text.title}
      rows={endpoints}
      keyOf={({ endpointId }) => endpointId}
      columns={[
        {
          title: text.url,
          cell: ({ endpointId, url }) => (
            <div>
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link {...props} to="/w/$workspaceId/endpoints/$endpointId" params={{ workspaceId, endpointId }} />
                )}
                className="as-typed"
                style={{ overflowWrap: 'anywhere' }}
              >
                {url}
              </Anchor>
            </div>
          ),
        },
        {
          title: text.state,
          cell: (endpoint) => (
            <Stack gap={2}>
              <StateBadge state={stateOf(endpoint)} />
              {endpoint.failingSince && (
                <Text size="xs" c="dimmed">
                  {text.failingSince} <Time at={endpoint.failingSince} />
                </Text>
              )}
            </Stack>
          ),
        },
        {
          title: text.lately,
          cell: ({ standing }) =>
            standing && standing.attempted > 0 ? text.latelyOf(standing.arrived, standing.attempted) : text.nothingYet,
        },
        {
          title: text.lastSuccess,
          times: true,
          cell: ({ standing }) => (standing?.lastSuccessAt ? <Time at={standing.lastSuccessAt} /> : text.noSuccess),
        },
        { title: text.waiting, cell: ({ standing }) => count(standing?.waiting) },
        { title: text.held, cell: ({ standing }) => count(standing?.held) },
        { title: text.givenUp, cell: ({ standing }) => count(standing?.failed) },
      ]}
    />
  )
}

function NewEndpoint({ onDone }: { onDone: () => void }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const faultsIn = useFaults({ url: text.url })
  const form = useForm({ initialValues: { url: '' } })
  const add = useMutation(
    api.endpoints.add.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: api.endpoints.list.queryKey({ workspaceId }) }),
      onError: (error) => form.setErrors({ url: faultsIn(error)['url'] ?? sentenceOf(error) }),
    }),
  )
  if (add.data) return <SecretOnce secret={add.data.secret} onDone={onDone} />
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate({ workspaceId, ...values }))} noValidate>
      <Stack>
        <TextInput
          label={text.url}
          description={text.urlHint}
          placeholder="https://shop.example.com/hooks/doorcode"
          type="url"
          dir="ltr"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('url')}
        />
        {add.error && sentenceOf(add.error) === undefined && <Failed error={add.error} />}
        <Button type="submit" loading={add.isPending}>
          {text.add}
        </Button>
      </Stack>
    </form>
  )
}
