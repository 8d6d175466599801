import { Anchor, Button, Drawer, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { api } from '../../api.ts'
import { useTexts } from '../../texts/use-texts.ts'
import { Empty } from '../../ui/empty.tsx'
import { Failed } from '../../ui/failed.tsx'
import { isId } from '../../ui/list/search-params.ts'
import { List } from '../../ui/list/list.tsx'
import { Loading } from '../../ui/loading.tsx'
import { statusWord } from '../../ui/state/status.ts'
import { Time, useWorkspaceClock } from '../../ui/time.tsx'
import { usePermissions, useWorkspace } from '../../ui/workspace.ts'
import { Delivery } from './delivery.tsx'
import { type Delivery as Logged, type LogSearch, STATUSES, isFiltered, readLogSearch } from './search.ts'
import { ResendEvents } from './resend-many.tsx'
import type { EndpointData } from '../endpoint-health.tsx'
import { StatusBadge } from '../state-badge.tsx'
import { answerOf, isDue } from '../endpoint-state.ts'
import { TypeSelect } from './type-select.tsx'
import { instantOf, localIn } from './zone-time.ts'

const PAGE = '/w/$workspaceId/endpoints/$endpointId'
/** A live page refetches all of its pages: a user with more needs filters. */
const MAX_PAGES = 10

export function Log({ endpoint }: { endpoint: EndpointData }) {
  const { t } = useTexts()
  const may = usePermissions()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const show = (next: LogSearch): void => void navigate({ search: next, replace: true, resetScroll: false })
  const close = (): void => {
    const { delivery: _, ...rest } = search
    show(rest)
  }
  return (
    <Stack component="section">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h4">
            {t('page_endpoints.log')}
          </Title>
          <Text c="dimmed">{t('page_endpoints.log_about')}</Text>
        </div>
        {may.change && endpoint.status === 'enabled' && (
          <ResendEvents endpointId={endpoint.endpointId} search={search} />
        )}
      </Group>
      <Filters key={JSON.stringify({ ...search, delivery: undefined })} search={search} onShow={show} />
      <Deliveries endpoint={endpoint} search={search} />
      <Drawer
        opened={search.delivery !== undefined}
        onClose={close}
        position="right"
        size="min(100vw, 46rem)"
        title={t('page_endpoints.delivery')}
      >
        {search.delivery !== undefined && (
          <Delivery key={search.delivery} endpoint={endpoint} deliveryId={search.delivery} />
        )}
      </Drawer>
    </Stack>
  )
}

function Filters({ search, onShow }: { search: LogSearch; onShow: (search: LogSearch) => void }) {
  const texts = useTexts()
  const { t } = texts
  const { timeZone } = useWorkspace()
  const form = useForm({
    initialValues: {
      status: search.status ?? '',
      type: search.type ?? '',
      from: search.from ? localIn(search.from, timeZone) : '',
      to: search.to ? localIn(search.to, timeZone) : '',
      about: search.about ?? '',
    },
    validate: {
      about: (value) => (value.trim() === '' || isId(value.trim()) ? null : t('page_endpoints.not_an_id')),
      to: (value, { from }) =>
        value !== '' && from !== '' && value <= from ? t('page_endpoints.range_backwards') : null,
    },
  })
  const apply = form.onSubmit(({ status, type, from, to, about }) =>
    onShow(
      readLogSearch({
        status,
        type,
        from: instantOf(from, timeZone),
        to: instantOf(to, timeZone),
        about: about.trim(),
      }),
    ),
  )
  return (
    <form onSubmit={apply} noValidate>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
          <NativeSelect
            label={t('page_endpoints.status')}
            data={[
              { value: '', label: t('page_endpoints.any_status') },
              ...STATUSES.map((value) => ({ value, label: statusWord(texts, 'delivery', value) })),
            ]}
            {...form.getInputProps('status')}
          />
          <TypeSelect {...form.getInputProps('type')} />
          <TextInput
            type="datetime-local"
            label={t('page_endpoints.from')}
            aria-description={t('page_endpoints.in_zone', { zone: timeZone })}
            dir="ltr"
            {...form.getInputProps('from')}
          />
          <TextInput
            type="datetime-local"
            label={t('page_endpoints.to')}
            aria-description={t('page_endpoints.in_zone', { zone: timeZone })}
            dir="ltr"
            {...form.getInputProps('to')}
          />
        </SimpleGrid>
        <Group gap="xs" align="flex-end">
          <TextInput
            label={t('page_endpoints.search')}
            description={t('page_endpoints.search_hint')}
            autoComplete="off"
            flex="1 1 16rem"
            maw={480}
            {...form.getInputProps('about')}
          />
          <Button type="submit" variant="default">
            {t('page_endpoints.apply')}
          </Button>
          {isFiltered(search) && (
            <Button variant="subtle" onClick={() => onShow({})}>
              {t('page_endpoints.clear')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

function Deliveries({ endpoint: { endpointId }, search }: { endpoint: EndpointData; search: LogSearch }) {
  const { t, n } = useTexts()
  const { workspaceId } = useWorkspace()
  const clock = useWorkspaceClock()
  const { delivery: _, from, to, ...filter } = search
  const [fromAt, toAt] = [clock.realOf(from), clock.realOf(to)]
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    api.endpoints.deliveries.infiniteQueryOptions(
      { workspaceId, endpointId, ...filter, ...(fromAt && { from: fromAt }), ...(toAt && { to: toAt }) },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  )
  if (!data) return error ? <Failed error={error} onAgain={() => void refetch()} /> : <Loading />
  const deliveries = data.pages.flatMap(({ rows }) => rows)
  const mayGoOn = hasNextPage && data.pages.length < MAX_PAGES
  return (
    <Stack>
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {deliveries.length > 0 ? (
        <DeliveryList deliveries={deliveries} />
      ) : (
        <Empty>
          {hasNextPage
            ? t('page_endpoints.log_none_yet')
            : isFiltered(search)
              ? t('page_endpoints.log_none')
              : t('page_endpoints.log_empty')}
        </Empty>
      )}
      {mayGoOn && (
        <Button variant="default" w="fit-content" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {deliveries.length > 0 && data.pages.at(-1)?.rows.length !== 0
            ? t('page_endpoints.older')
            : t('page_endpoints.search_further')}
        </Button>
      )}
      {hasNextPage && !mayGoOn && (
        <Text size="sm">{t('page_endpoints.shown_limit', { shown: n(deliveries.length) })}</Text>
      )}
    </Stack>
  )
}

function DeliveryList({ deliveries }: { deliveries: readonly Logged[] }) {
  const { t } = useTexts()
  return (
    <List
      label={t('page_endpoints.log')}
      rows={deliveries}
      keyOf={({ deliveryId }) => deliveryId}
      columns={[
        {
          title: t('page_endpoints.event'),
          cell: ({ type, deliveryId }) => (
            <div>
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    {...props}
                    from={PAGE}
                    to="."
                    search={(now: LogSearch) => ({ ...now, delivery: deliveryId })}
                    resetScroll={false}
                  />
                )}
                className="as-typed"
              >
                {type}
              </Anchor>
            </div>
          ),
        },
        { title: t('page_endpoints.status'), cell: (delivery) => <StatusAndNext delivery={delivery} /> },
        { title: t('page_endpoints.last_answer'), cell: (delivery) => <AnswerAndAttempts delivery={delivery} /> },
        { title: t('page_endpoints.recorded'), cell: ({ createdAt }) => <Time at={createdAt} kind="past" /> },
      ]}
    />
  )
}

function StatusAndNext({ delivery }: { delivery: Logged }) {
  const { t } = useTexts()
  const { dueAt, underWay } = delivery
  return (
    <Stack gap={2}>
      <StatusBadge delivery={delivery} />
      {dueAt && !underWay && (
        <Text size="xs" c="dimmed">
          {isDue(dueAt) ? (
            t('page_endpoints.in_turn')
          ) : (
            <>
              {t('page_endpoints.next_at')} <Time at={dueAt} kind="due" />
            </>
          )}
        </Text>
      )}
    </Stack>
  )
}

function AnswerAndAttempts({ delivery }: { delivery: Logged }) {
  const texts = useTexts()
  const { t } = texts
  if (!delivery.lastAttemptAt) return '–'
  return (
    <Stack gap={2}>
      <Text size="sm">
        <bdi>{answerOf(delivery, texts) ?? t('page_endpoints.no_answer')}</bdi>
      </Text>
      {delivery.attempts > 1 && (
        <Text size="xs" c="dimmed">
          {t('page_endpoints.attempts_made', { count: delivery.attempts })}
        </Text>
      )}
    </Stack>
  )
}
