import { Anchor, Button, Drawer, Group, NativeSelect, SimpleGrid, Stack, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useId } from 'react'
import { api } from '../api.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { isId } from '../ui/in-address.ts'
import { List } from '../ui/list.tsx'
import { Loading } from '../ui/loading.tsx'
import { Time, ZoneCaption, ZoneNamedBy } from '../ui/time.tsx'
import { useMay, useWorkspace } from '../ui/workspace.ts'
import { useWords } from '../words.ts'
import { Delivery } from './delivery.tsx'
import { EVENT_TYPES, type Delivery as Logged, type LogSearch, STATUSES, isFiltered, readLogSearch } from './search.ts'
import { SendMany } from './send-many.tsx'
import type { OneEndpoint } from './standing.tsx'
import { StatusBadge } from './state-badge.tsx'
import { answerOf } from './why.ts'
import { endpointWords } from './words.ts'
import { instantOf, localIn } from './zone-time.ts'

const PAGE = '/w/$workspaceId/endpoints/$endpointId'
/** A live page asks for all of its pages again: beyond these, filters find more than scrolling. */
const PAGES_MOST = 10

export function Log({ endpoint }: { endpoint: OneEndpoint }) {
  const text = useWords(endpointWords)
  const zone = useId()
  const may = useMay()
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
            {text.log}
          </Title>
          <ZoneCaption id={zone}>{text.logAbout}</ZoneCaption>
        </div>
        {may.change && endpoint.status === 'enabled' && <SendMany endpointId={endpoint.endpointId} search={search} />}
      </Group>
      <Filters key={JSON.stringify({ ...search, delivery: undefined })} search={search} onShow={show} />
      <ZoneNamedBy head={zone}>
        <Deliveries endpoint={endpoint} search={search} />
      </ZoneNamedBy>
      <Drawer
        opened={search.delivery !== undefined}
        onClose={close}
        position="right"
        size="min(100vw, 46rem)"
        title={text.delivery}
      >
        {search.delivery !== undefined && (
          <Delivery key={search.delivery} endpoint={endpoint} deliveryId={search.delivery} />
        )}
      </Drawer>
    </Stack>
  )
}

function Filters({ search, onShow }: { search: LogSearch; onShow: (search: LogSearch) => void }) {
  const text = useWords(endpointWords)
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
      about: (value) => (value.trim() === '' || isId(value.trim()) ? null : text.notAnId),
      to: (value, { from }) => (value !== '' && from !== '' && value <= from ? text.rangeBackwards : null),
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
            label={text.status}
            data={[
              { value: '', label: text.anyStatus },
              ...STATUSES.map((value) => ({ value, label: statusName(text, value) })),
            ]}
            {...form.getInputProps('status')}
          />
          <NativeSelect
            label={text.type}
            data={[{ value: '', label: text.anyType }, ...EVENT_TYPES.map((value) => ({ value, label: value }))]}
            {...form.getInputProps('type')}
          />
          <TextInput
            type="datetime-local"
            label={text.from}
            aria-description={text.inZone(timeZone)}
            dir="ltr"
            {...form.getInputProps('from')}
          />
          <TextInput
            type="datetime-local"
            label={text.to}
            aria-description={text.inZone(timeZone)}
            dir="ltr"
            {...form.getInputProps('to')}
          />
        </SimpleGrid>
        <Group gap="xs" align="flex-end">
          <TextInput
            label={text.search}
            description={text.searchHint}
            autoComplete="off"
            flex="1 1 16rem"
            maw={480}
            {...form.getInputProps('about')}
          />
          <Button type="submit" variant="default">
            {text.apply}
          </Button>
          {isFiltered(search) && (
            <Button variant="subtle" onClick={() => onShow({})}>
              {text.clear}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

type Text = (typeof endpointWords)['en']
const statusName = (text: Text, status: (typeof STATUSES)[number]): string =>
  status === 'held' ? text.heldOne : text[status]

function Deliveries({ endpoint: { endpointId }, search }: { endpoint: OneEndpoint; search: LogSearch }) {
  const text = useWords(endpointWords)
  const { workspaceId } = useWorkspace()
  const { delivery: _, ...filter } = search
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    api.endpoints.deliveries.infiniteQueryOptions(
      { workspaceId, endpointId, ...filter },
      { getNextPageParam: ({ next }) => next },
    ),
  )
  if (!data) return error ? <Failed error={error} onAgain={() => void refetch()} /> : <Loading />
  const deliveries = data.pages.flatMap((page) => page.deliveries)
  const mayGoOn = hasNextPage && data.pages.length < PAGES_MOST
  return (
    <Stack>
      {error && <Failed error={error} onAgain={() => void refetch()} />}
      {deliveries.length > 0 ? (
        <DeliveryList deliveries={deliveries} />
      ) : (
        <Empty>{hasNextPage ? text.logNoneYet : isFiltered(search) ? text.logNone : text.logEmpty}</Empty>
      )}
      {mayGoOn && (
        <Button variant="default" w="fit-content" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {deliveries.length > 0 && data.pages.at(-1)?.deliveries.length !== 0 ? text.older : text.lookFurther}
        </Button>
      )}
      {hasNextPage && !mayGoOn && <Text size="sm">{text.shownMost(deliveries.length)}</Text>}
    </Stack>
  )
}

function DeliveryList({ deliveries }: { deliveries: readonly Logged[] }) {
  const text = useWords(endpointWords)
  return (
    <List
      label={text.log}
      rows={deliveries}
      keyOf={({ deliveryId }) => deliveryId}
      columns={[
        {
          title: text.event,
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
        { title: text.status, cell: (delivery) => <StatusAndNext delivery={delivery} /> },
        { title: text.lastAnswer, cell: (delivery) => <AnswerAndAttempts delivery={delivery} /> },
        { title: text.recorded, cell: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
    />
  )
}

function StatusAndNext({ delivery }: { delivery: Logged }) {
  const text = useWords(endpointWords)
  const { dueAt, underWay } = delivery
  return (
    <Stack gap={2}>
      <StatusBadge delivery={delivery} />
      {dueAt && !underWay && (
        <Text size="xs" c="dimmed">
          {text.nextAt} <Time at={dueAt} />
        </Text>
      )}
    </Stack>
  )
}

function AnswerAndAttempts({ delivery }: { delivery: Logged }) {
  const text = useWords(endpointWords)
  if (!delivery.lastAttemptAt) return '–'
  return (
    <Stack gap={2}>
      <Text size="sm">
        <bdi>{answerOf(delivery) ?? text.noAnswer}</bdi>
      </Text>
      {delivery.attempts > 1 && (
        <Text size="xs" c="dimmed">
          {text.attemptsMade(delivery.attempts)}
        </Text>
      )}
    </Stack>
  )
}
