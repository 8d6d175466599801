import { Button, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Recipient, Reference } from '../ui/as-typed.tsx'
import { Empty, Failed, Loading } from '../ui/fallback.tsx'
import { linkTo } from '../ui/link.tsx'
import { ExportButton } from '../ui/list/export-button.tsx'
import { FilterBar } from '../ui/list/filter-bar.tsx'
import { KeptSince } from '../ui/list/list-pages.tsx'
import { List } from '../ui/list/list.tsx'
import { statusWord } from '../ui/state/status.ts'
import { Time, useWorkspaceClock } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Delivery } from './delivery.tsx'
import { type EndpointData, StatusBadge } from './endpoint-health.tsx'
import { answerOf, isDue } from './endpoint-state.ts'
import { ResendEvents } from './resend-events.tsx'
import { type Delivery as Logged, EVENT_TYPES, type LogSearch, STATUSES, isFiltered, readLogSearch } from './search.ts'
import { endOf, startOf } from './zone-time.ts'

const PAGE = '/w/$workspaceId/endpoints/$endpointId'
/** A live list refetches all loaded pages. A user who needs more of them should filter. */
const MAX_PAGES = 10

export function Log({ endpoint }: { endpoint: EndpointData }) {
  const texts = useTexts()
  const { t } = texts
  const may = usePermissions()
  const search = useSearch({ from: PAGE })
  const navigate = useNavigate({ from: PAGE })
  const show = (next: LogSearch): void => void navigate({ search: next, replace: true, resetScroll: false })
  const { delivery: _, ...filter } = search
  const range = useRange(search)
  return (
    <Stack component="section">
      <Group justify="space-between">
        <Title order={2}>{t('page_endpoints.log')}</Title>
        {may.change && endpoint.status === 'enabled' && (
          <ResendEvents endpointId={endpoint.endpointId} search={search} />
        )}
      </Group>
      <FilterBar
        label={t('page_endpoints.log')}
        search={{ label: t('page_endpoints.search'), value: search.about ?? '' }}
        filters={[
          {
            name: 'status',
            label: t('page_endpoints.status'),
            value: search.status,
            choices: STATUSES.map((value) => ({ value, label: statusWord(texts, 'delivery', value) })),
          },
          {
            name: 'type',
            label: t('page_endpoints.type'),
            value: search.type,
            choices: EVENT_TYPES.map((value) => ({ value, label: value })),
          },
        ]}
        range={{ from: search.from, to: search.to }}
        onChange={({ text, ...change }) =>
          show(readLogSearch({ ...filter, ...change, ...(text !== undefined && { about: text }) }))
        }
        onClear={isFiltered(search) ? () => show({}) : undefined}
        end={<ExportButton list="deliveries" filters={{ endpointId: endpoint.endpointId, ...filter, ...range }} />}
      />
      <Deliveries endpoint={endpoint} search={search} />
      <Drawer
        opened={search.delivery !== undefined}
        onClose={() => show(filter)}
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

/** The filter's days as real instants. */
function useRange({ from, to }: LogSearch): { from: string | undefined; to: string | undefined } {
  const { timeZone } = useWorkspace()
  const clock = useWorkspaceClock()
  return { from: clock.realOf(startOf(from, timeZone)), to: clock.realOf(endOf(to, timeZone)) }
}

function Deliveries({ endpoint: { endpointId }, search }: { endpoint: EndpointData; search: LogSearch }) {
  const { t, n } = useTexts()
  const { workspaceId } = useWorkspace()
  const range = useRange(search)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    pageQueries.deliveries({ workspaceId, endpointId }, search, range),
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
            ? t('page_shell.older')
            : t('page_shell.search_further')}
        </Button>
      )}
      {!hasNextPage && <KeptSince of="records" />}
      {hasNextPage && !mayGoOn && (
        <Text size="sm">{t('page_endpoints.shown_limit', { shown: n(deliveries.length) })}</Text>
      )}
    </Stack>
  )
}

function DeliveryList({ deliveries }: { deliveries: readonly Logged[] }) {
  const { t, n } = useTexts()
  return (
    <List
      label={t('page_endpoints.log')}
      rows={deliveries}
      keyOf={({ deliveryId }) => deliveryId}
      linkOf={({ deliveryId }) =>
        linkTo({
          from: PAGE,
          to: '.',
          search: (now: LogSearch) => ({ ...now, delivery: deliveryId }),
          resetScroll: false,
        })
      }
      columns={[
        { title: t('page_endpoints.event'), cell: ({ type }) => <span className="as-typed">{type}</span> },
        { title: t('page_endpoints.subject'), cell: (delivery) => <Subject delivery={delivery} /> },
        {
          title: t('page_endpoints.status'),
          phone: 'status',
          cell: (delivery) => <StatusAndNext delivery={delivery} />,
        },
        {
          title: t('page_endpoints.last_answer'),
          from: 'laptop',
          phone: 'none',
          cell: (delivery) => <AnswerAndAttempts delivery={delivery} />,
        },
        {
          title: t('page_endpoints.took'),
          from: 'desktop',
          phone: 'none',
          align: 'end',
          cell: ({ durationMs }) => (durationMs === null ? '–' : t('page_endpoints.ms', { ms: n(durationMs) })),
        },
        {
          title: t('page_endpoints.recorded'),
          phone: 'time',
          cell: ({ createdAt }) => <Time at={createdAt} kind="past" form="relative" />,
        },
      ]}
    />
  )
}

/** The recipient or order that the event is about. */
function Subject({ delivery: { recipient, reference } }: { delivery: Logged }) {
  if (recipient === null) return '–'
  return (
    <Group gap="0 0.5rem">
      <Recipient of={recipient} />
      {reference !== null && reference !== '' && (
        <Text span size="sm" c="dimmed">
          <Reference of={reference} />
        </Text>
      )}
    </Group>
  )
}

function StatusAndNext({ delivery }: { delivery: Logged }) {
  const { t } = useTexts()
  const { dueAt, underWay, nextAttempt } = delivery
  return (
    <Group gap="0 0.5rem">
      <StatusBadge delivery={delivery} />
      {dueAt && nextAttempt && !underWay && (
        <Text span size="sm" c="dimmed">
          {nextAttempt.number > 1 &&
            `${t('page_endpoints.next_short', { number: nextAttempt.number, of: nextAttempt.of })} · `}
          {isDue(dueAt) ? t('page_endpoints.in_turn') : <Time at={dueAt} kind="due" form="relative" />}
        </Text>
      )}
    </Group>
  )
}

function AnswerAndAttempts({ delivery }: { delivery: Logged }) {
  const texts = useTexts()
  const { t } = texts
  if (!delivery.lastAttemptAt) return '–'
  return (
    <Group gap="0 0.5rem">
      <bdi>{answerOf(delivery, texts) ?? t('page_endpoints.no_answer')}</bdi>
      {delivery.attempts > 1 && (
        <Text span size="sm" c="dimmed">
          {t('page_endpoints.attempts_made', { count: delivery.attempts })}
        </Text>
      )}
    </Group>
  )
}
