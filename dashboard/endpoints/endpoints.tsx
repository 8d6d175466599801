import { Button, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { type RouterOutputs, api, queryClient } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { withBreaks } from '../ui/as-typed.tsx'
import { SecretDialog } from '../ui/dialog/secret-dialog.tsx'
import { Empty } from '../ui/fallback.tsx'
import { linkTo } from '../ui/link.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { List } from '../ui/list/list.tsx'
import { instantOf } from '../ui/list/sort-rows.ts'
import { Page } from '../ui/shell/page.tsx'
import { Time } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { LastSuccess, StateBadge, countText, recentSuccessText } from './endpoint-health.tsx'
import { stateOf } from './endpoint-state.ts'
import { EndpointSettings, SecretOnce } from './settings-form.tsx'

type EndpointsData = RouterOutputs['endpoints']['list']

export function Endpoints() {
  const { t, n } = useTexts()
  const { workspaceId } = useWorkspace()
  const may = usePermissions()
  const [adding, { open, close }] = useDisclosure()
  const { data } = useSuspenseQuery(pageQueries.endpoints({ workspaceId }))
  const isFull = data.endpoints.length >= data.max
  const add = may.change && !isFull && <Button onClick={open}>{t('page_endpoints.add')}</Button>
  const isEmpty = data.endpoints.length === 0
  return (
    <Page
      title={t('page_endpoints.title')}
      about={t('page_endpoints.about')}
      live
      actions={
        !isEmpty && (
          <>
            <ExportButton list="endpoints" />
            {add}
          </>
        )
      }
    >
      {isEmpty ? <Empty action={add}>{t('page_endpoints.empty')}</Empty> : <EndpointList data={data} />}
      {may.change && isFull && <Text size="sm">{t('page_endpoints.full', { max: n(data.max) })}</Text>}
      <SecretDialog
        closeOnClickOutside={false}
        opened={adding}
        onClose={close}
        title={t('page_endpoints.add')}
        size="lg"
      >
        <NewEndpoint allowsHttp={data.allowsHttp} onDone={close} />
      </SecretDialog>
    </Page>
  )
}

const NUMBER = { align: 'end', from: 'desktop', phone: 'none' } as const

function EndpointList({ data: { endpoints, maxCounted } }: { data: EndpointsData }) {
  const texts = useTexts()
  const { t } = texts
  const count = (value: number | undefined): string => countText(texts, value, maxCounted)
  return (
    <List
      label={t('page_endpoints.title')}
      rows={endpoints}
      keyOf={({ endpointId }) => endpointId}
      linkOf={({ endpointId }) => linkTo({ to: '/w/$workspaceId/endpoints/$endpointId', params: { endpointId } })}
      columns={[
        {
          title: t('page_endpoints.endpoint'),
          sortBy: ({ url, description }) => description || url,
          cell: ({ url, description }) => (
            <>
              {description !== '' && (
                <span style={{ display: 'block' }}>
                  <bdi>{description}</bdi>
                </span>
              )}
              <Text
                span
                className="as-typed"
                style={{ overflowWrap: 'break-word' }}
                {...(description === '' ? { inherit: true } : { size: 'xs', c: 'dimmed' })}
              >
                {withBreaks(url)}
              </Text>
            </>
          ),
        },
        {
          title: t('page_endpoints.state'),
          phone: 'status',
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
          title: t('page_endpoints.events'),
          from: 'laptop',
          phone: 'none',
          hideIfAll: ({ eventTypes }) => eventTypes?.length ?? null,
          cell: ({ eventTypes }) =>
            eventTypes
              ? t('page_endpoints.events_count', { count: eventTypes.length })
              : t('page_endpoints.events_all'),
        },
        { title: t('page_endpoints.lately'), cell: ({ health }) => recentSuccessText(texts, health) },
        {
          title: t('page_endpoints.last_success'),
          phone: 'time',
          sortBy: ({ health }) => instantOf(health?.lastSuccessAt),
          cell: ({ health }) => <LastSuccess health={health} />,
        },
        {
          title: t('page_endpoints.waiting'),
          ...NUMBER,
          sortBy: ({ health }) => health?.waiting ?? null,
          cell: ({ health }) => count(health?.waiting),
        },
        {
          title: t('page_endpoints.held'),
          ...NUMBER,
          sortBy: ({ health }) => health?.held ?? null,
          cell: ({ health }) => count(health?.held),
        },
        {
          title: t('page_endpoints.failed_deliveries'),
          ...NUMBER,
          sortBy: ({ health }) => health?.failed ?? null,
          cell: ({ health }) => count(health?.failed),
        },
      ]}
    />
  )
}

const NEW = { url: '', description: '', eventTypes: null }

function NewEndpoint({ allowsHttp, onDone }: { allowsHttp: boolean; onDone: () => void }) {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const add = useMutation(
    api.endpoints.add.mutationOptions({
      onSuccess: () => queryClient.invalidateQueries({ queryKey: api.endpoints.list.queryKey({ workspaceId }) }),
    }),
  )
  if (add.data) return <SecretOnce secret={add.data.secret} onDone={onDone} />
  return (
    <EndpointSettings
      initial={NEW}
      allowsHttp={allowsHttp}
      yes={t('page_endpoints.add')}
      onSave={(settings) => add.mutateAsync({ workspaceId, ...settings })}
    />
  )
}
