import { Anchor, Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type RouterOutputs, api, queryClient, reasonOf } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { useFaults } from '../ui/faults.ts'
import { List } from '../ui/list/list.tsx'
import { useLive } from '../ui/shell/live.ts'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { SecretOnce } from './secret-once.tsx'
import { StateBadge } from './state-badge.tsx'
import { recentSuccessText } from './endpoint-health.tsx'
import { stateOf } from './endpoint-state.ts'

type ListedEndpoint = RouterOutputs['endpoints']['list']['endpoints'][number]

export function Endpoints() {
  const { t, n } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const live = useLive()
  const [adding, { open, close }] = useDisclosure()
  const { data } = useSuspenseQuery(api.endpoints.list.queryOptions({ workspaceId }))
  const isFull = data.endpoints.length >= data.max
  const add = may.change && !isFull && <Button onClick={open}>{t('page_endpoints.add')}</Button>
  const isEmpty = data.endpoints.length === 0
  return (
    <Page title={t('page_endpoints.title')} about={t('page_endpoints.about')} live={live} actions={!isEmpty && add}>
      {isEmpty ? (
        <Empty action={add}>{t('page_endpoints.empty')}</Empty>
      ) : (
        <EndpointList endpoints={data.endpoints} maxCounted={data.maxCounted} />
      )}
      {may.change && isFull && <Text size="sm">{t('page_endpoints.full', { max: n(data.max) })}</Text>}
      <Modal closeOnClickOutside={false} opened={adding} onClose={close} title={t('page_endpoints.add')} size="lg">
        <NewEndpoint onDone={close} />
      </Modal>
    </Page>
  )
}

function EndpointList({ endpoints, maxCounted }: { endpoints: readonly ListedEndpoint[]; maxCounted: number }) {
  const texts = useTexts()
  const { t, n } = texts
  const { workspaceId } = useWorkspace()
  const count = (value = 0): string =>
    value > maxCounted ? t('page_endpoints.more_than', { max: n(maxCounted) }) : n(value)
  return (
    <List
      label={t('page_endpoints.title')}
      rows={endpoints}
      keyOf={({ endpointId }) => endpointId}
      columns={[
        {
          title: t('page_endpoints.url'),
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
          title: t('page_endpoints.state'),
          cell: (endpoint) => (
            <Stack gap={2}>
              <StateBadge state={stateOf(endpoint)} />
              {endpoint.failingSince && (
                <Text size="xs" c="dimmed">
                  {t('page_endpoints.failing_since')} <Time at={endpoint.failingSince} kind="due" />
                </Text>
              )}
            </Stack>
          ),
        },
        {
          title: t('page_endpoints.lately'),
          cell: ({ health }) => recentSuccessText(texts, health),
        },
        {
          title: t('page_endpoints.last_success'),

          cell: ({ health }) =>
            health?.lastSuccessAt ? <Time at={health.lastSuccessAt} kind="past" /> : t('page_endpoints.no_success'),
        },
        { title: t('page_endpoints.waiting'), cell: ({ health }) => count(health?.waiting) },
        { title: t('page_endpoints.held'), cell: ({ health }) => count(health?.held) },
        { title: t('page_endpoints.given_up'), cell: ({ health }) => count(health?.failed) },
      ]}
    />
  )
}

function NewEndpoint({ onDone }: { onDone: () => void }) {
  const { t, textOf } = useTexts()
  const { workspaceId } = useWorkspace()
  const faultsIn = useFaults({ url: t('page_endpoints.url') })
  const form = useForm({ initialValues: { url: '' } })
  const add = useMutation(
    api.endpoints.add.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.endpoints.list.queryKey({ workspaceId }) }),
      onError(error) {
        const why = reasonOf(error)
        form.setErrors({ url: faultsIn(error)['url'] ?? (why && textOf(why)) })
      },
    }),
  )
  if (add.data) return <SecretOnce secret={add.data.secret} onDone={onDone} />
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate({ workspaceId, ...values }))} noValidate>
      <Stack>
        <TextInput
          label={t('page_endpoints.url')}
          description={t('page_endpoints.url_hint')}
          placeholder="https://shop.example.com/hooks/doorcode"
          type="url"
          dir="ltr"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('url')}
        />
        {add.error && reasonOf(add.error) === undefined && <Failed error={add.error} />}
        <Button type="submit" loading={add.isPending}>
          {t('page_endpoints.add')}
        </Button>
      </Stack>
    </form>
  )
}
