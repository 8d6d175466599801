import {
  Alert,
  Anchor,
  Box,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { type RouterOutputs, api, faultsOf } from '../api.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Empty } from '../ui/empty.tsx'
import { Failed } from '../ui/failed.tsx'
import { slowPolling, useLive } from '../ui/shell/live.ts'
import { Loading } from '../ui/loading.tsx'
import { Page } from '../ui/shell/page.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { AnswerTimes, AnswersByDay, Failures, Funnel, MessagesByDay, Reasons, Refusals, Reminder } from './figures.tsx'
import { type ChartSearch, SPANS, USUAL_SPAN, rangeOf } from './search.ts'
import { dayText, spanOfDays } from './span.ts'

const PAGE = '/w/$workspaceId/charts'
export function Charts() {
  const { t } = useTexts()
  const { workspaceId, timeZone } = useWorkspace()
  const live = useLive()
  const search = useSearch({ from: PAGE })
  const { senderId, template, language } = search
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...api.charts.all.queryOptions({
      workspaceId,
      range: rangeOf(search),
      ...(senderId && { senderId }),
      ...(template && { template }),
      ...(language && { language }),
    }),
    placeholderData: keepPreviousData,
    ...slowPolling,
  })
  return (
    <Page
      title={t('page_charts.title')}
      about={`${t('page_charts.about')}${t('page_shell.colon')}\u2066${timeZone}\u2069. ${t('page_charts.settled')}`}
      live={live}
    >
      <Filters search={search} bounds={data} />
      {error && <Refused error={error} onAgain={() => void refetch()} />}
      {data ? <All of={data} stale={isPlaceholderData} /> : !error && <Loading />}
    </Page>
  )
}

/** What is wrong with the chosen days, in the server's words. */
function Refused({ error, onAgain }: { error: unknown; onAgain: () => void }) {
  const [fault] = faultsOf(error)
  const { textOf } = useTexts()
  return fault ? (
    <Alert color="red" role="alert">
      {textOf(fault.text)}
    </Alert>
  ) : (
    <Failed error={error} onAgain={onAgain} />
  )
}

function All({ of, stale }: { of: RouterOutputs['charts']['all']; stale: boolean }) {
  const { t } = useTexts()
  if (of.uncounted === 0 && of.messages.every(({ otp, cod }) => otp + cod === 0)) return <NothingSent />
  return (
    <Stack aria-busy={stale} opacity={stale ? 0.6 : 1}>
      {of.uncounted > 0 && <Alert color="yellow">{t('page_charts.uncounted', { count: of.uncounted })}</Alert>}
      <MessagesByDay of={of} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Funnel of={of} />
        <Failures of={of} />
      </SimpleGrid>
      <AnswersByDay of={of} />
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <AnswerTimes of={of} />
        <Reminder of={of} />
        <Refusals of={of} />
        <Reasons of={of} />
      </SimpleGrid>
    </Stack>
  )
}

/** Once, instead of in each chart. */
function NothingSent() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const toOverview = (
    <Anchor renderRoot={(props) => <Link {...props} to="/w/$workspaceId/overview" params={{ workspaceId }} />}>
      {t('page_charts.to_overview')}
    </Anchor>
  )
  return <Empty action={toOverview}>{t('page_charts.nothing_sent')}</Empty>
}

type Bounds = { earliest: string; today: string; from: string; to: string } | undefined

function Filters({ search, bounds }: { search: ChartSearch; bounds: Bounds }) {
  const { t, language: page } = useTexts()
  const { workspaceId } = useWorkspace()
  const navigate = useNavigate({ from: PAGE })
  const { data: choices } = useQuery(api.workspaces.choices.queryOptions({ workspaceId }))
  const [own, setOwn] = useState(search.from !== undefined)
  const show = (changed: ChartSearch): void => void navigate({ search: changed, replace: true })
  const { days: _, from, to, ...choice } = search
  const chooseSpan = (value: string): void => {
    setOwn(value === 'own')
    const days = SPANS.find((each) => `d${each}` === value)
    if (days) show({ ...choice, days })
  }
  const pick = (name: 'senderId' | 'template' | 'language', value: string): void => {
    const { [name]: __, ...others } = search
    show(value === '' ? others : { ...others, [name]: value })
  }
  const options = (values: readonly { value: string; label: string }[]) => [
    { value: '', label: t('page_charts.all') },
    ...values,
  ]
  const plain = (values: readonly string[] = []) => options(values.map((value) => ({ value, label: value })))
  return (
    <Stack gap="sm">
      <Group align="flex-end" gap="sm">
        <Box maw="100%" style={{ overflowX: 'auto' }}>
          <SegmentedControl
            aria-label={t('page_charts.span')}
            value={own ? 'own' : `d${search.days ?? USUAL_SPAN}`}
            onChange={chooseSpan}
            data={[
              ...SPANS.map((days) => ({ value: `d${days}`, label: t(`page_charts.spans_d${days}`) })),
              { value: 'own', label: t('page_charts.spans_own') },
            ]}
          />
        </Box>
        {own && <OwnDays bounds={bounds} from={from} to={to} onShow={(range) => show({ ...choice, ...range })} />}
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 3 }} maw={760}>
        <NativeSelect
          label={t('page_charts.sender')}
          value={search.senderId ?? ''}
          data={options(
            choices?.senders.map(({ senderId, phoneNumber }) => ({
              value: senderId,
              label: `\u2066${phoneNumber}\u2069`,
            })) ?? [],
          )}
          onChange={(event) => pick('senderId', event.currentTarget.value)}
        />
        <NativeSelect
          label={t('page_charts.template')}
          value={search.template ?? ''}
          data={plain(choices?.templates)}
          onChange={(event) => pick('template', event.currentTarget.value)}
        />
        <NativeSelect
          label={t('page_charts.language')}
          value={search.language ?? ''}
          data={plain(choices?.languages)}
          onChange={(event) => pick('language', event.currentTarget.value)}
        />
      </SimpleGrid>
      {bounds && (
        <Text size="sm" c="dimmed">
          {spanOfDays(bounds, page)}
          {bounds.from < bounds.earliest && ` · ${t('page_charts.earliest', { day: dayText(bounds.earliest, page) })}`}
        </Text>
      )}
    </Stack>
  )
}

function OwnDays({
  bounds,
  from,
  to,
  onShow,
}: {
  bounds: Bounds
  from: string | undefined
  to: string | undefined
  onShow: (range: { from: string; to: string }) => void
}) {
  const { t } = useTexts()
  const [first, setFirst] = useState(from ?? bounds?.from ?? '')
  const [last, setLast] = useState(to ?? bounds?.to ?? '')
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (first !== '' && last !== '') onShow({ from: first, to: last })
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          type="date"
          label={t('page_charts.from')}
          value={first}
          min={bounds?.earliest}
          max={bounds?.today}
          onChange={(event) => setFirst(event.currentTarget.value)}
        />
        <TextInput
          type="date"
          label={t('page_charts.to')}
          value={last}
          min={bounds?.earliest}
          max={bounds?.today}
          onChange={(event) => setLast(event.currentTarget.value)}
        />
        <Button type="submit" variant="default">
          {t('page_charts.show')}
        </Button>
      </Group>
    </form>
  )
}
