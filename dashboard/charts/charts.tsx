import { Alert, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { api, faultsOf } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Empty, Failed, Loading } from '../ui/fallback.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { type Choice, FilterBar } from '../ui/list/filter-bar.tsx'
import { isolatedPhoneText } from '@doorcode/whatsapp-emulator/wire/phone-groups.ts'
import { Page } from '../ui/shell/page.tsx'
import { slowPolling } from '../ui/shell/refetch.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { Failures, Funnel, MessagesByDay } from './codes.tsx'
import { AnswerTimes, AnswersByDay, Reasons, Refusals, Reminder } from './confirmations.tsx'
import { FigureRow, type Of } from './figure.tsx'
import { dayText, spanOfDays } from './numbers.ts'
import { type ChartSearch, SPANS, USUAL_SPAN, choiceOf, readChartSearch } from './search.ts'
import {
  Verifications,
  VerificationsByCountry,
  VerificationsByHour,
  VerificationsByTemplate,
} from './verifications.tsx'

const PAGE = '/w/$workspaceId/charts'
export function Charts() {
  const { t } = useTexts()
  const { workspaceId, timeZone } = useWorkspace()
  const search = useSearch({ from: PAGE })
  const choice = choiceOf(search)
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...pageQueries.charts(workspaceId, search),
    placeholderData: keepPreviousData,
    ...slowPolling,
  })
  return (
    <Page
      title={t('page_charts.title')}
      about={`${t('page_charts.about')}${t('page_shell.colon')}\u2066${timeZone}\u2069. ${t('page_charts.settled')}`}
      live
    >
      <Filters search={search} bounds={data} />
      {error && <Rejected error={error} onAgain={() => void refetch()} />}
      {data ? <All of={data} choice={choice} stale={isPlaceholderData} /> : !error && <Loading as="charts" />}
    </Page>
  )
}

/** What is wrong with the chosen days, in the server's words. */
function Rejected({ error, onAgain }: { error: unknown; onAgain: () => void }) {
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

function All({ of, choice, stale }: Required<Of> & { stale: boolean }) {
  const { t } = useTexts()
  if (of.uncounted === 0 && of.messages.every(({ otp, cod }) => otp + cod === 0)) return <NothingSent />
  const shown = { of, choice }
  return (
    <Stack aria-busy={stale} opacity={stale ? 0.6 : 1}>
      {of.uncounted > 0 && <Alert color="warning">{t('page_charts.uncounted', { count: of.uncounted })}</Alert>}
      <FigureRow>
        <MessagesByDay {...shown} />
      </FigureRow>
      <FigureRow>
        <Funnel {...shown} />
        <Failures {...shown} />
      </FigureRow>
      <FigureRow>
        <Verifications {...shown} />
        <VerificationsByTemplate {...shown} />
        <VerificationsByCountry {...shown} />
      </FigureRow>
      <FigureRow>
        <VerificationsByHour {...shown} />
      </FigureRow>
      <FigureRow>
        <AnswersByDay {...shown} wide />
        <AnswerTimes {...shown} />
      </FigureRow>
      <FigureRow>
        <Reminder {...shown} />
        <Refusals {...shown} />
        <Reasons {...shown} />
      </FigureRow>
    </Stack>
  )
}

/** Shown once instead of in each chart. */
function NothingSent() {
  const { t } = useTexts()
  const toOverview = <AnchorLink to="/w/$workspaceId/overview">{t('page_charts.to_overview')}</AnchorLink>
  return <Empty action={toOverview}>{t('page_charts.nothing_sent')}</Empty>
}

type Bounds = { earliest: string; today: string; from: string; to: string } | undefined

function Filters({ search, bounds }: { search: ChartSearch; bounds: Bounds }) {
  const { t, language: page } = useTexts()
  const { workspaceId } = useWorkspace()
  const navigate = useNavigate({ from: PAGE })
  const { data: choices } = useQuery(api.workspaces.choices.queryOptions({ workspaceId }))
  const { days, from, to, ...choice } = search
  const show = (changed: Record<string, unknown>): void =>
    void navigate({ search: readChartSearch(changed), replace: true })
  const plain = (values: readonly string[] = []): Choice[] => values.map((value) => ({ value, label: value }))
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <SegmentedControl
          aria-label={t('page_charts.span')}
          value={from === undefined ? String(days ?? USUAL_SPAN) : ''}
          onChange={(value) => show({ ...choice, days: value })}
          data={SPANS.map((each) => ({ value: String(each), label: t(`page_charts.spans_d${each}`) }))}
        />
        <FilterBar
          label={t('page_charts.filters')}
          range={{ from, to }}
          filters={[
            {
              name: 'senderId',
              label: t('page_charts.sender'),
              value: search.senderId,
              choices: (choices?.senders ?? []).map(({ senderId, phoneNumber }) => ({
                value: senderId,
                label: isolatedPhoneText(phoneNumber),
              })),
            },
            {
              name: 'template',
              label: t('page_charts.template'),
              value: search.template,
              choices: plain(choices?.templates),
            },
            {
              name: 'language',
              label: t('page_charts.language'),
              value: search.language,
              choices: plain(choices?.languages),
            },
          ]}
          onChange={(change) => show({ ...search, ...change })}
          onClear={Object.keys(choice).length > 0 || from !== undefined ? () => show({ days }) : undefined}
        />
      </Group>
      <Text size="sm" c="dimmed" mih="1.45em">
        {bounds && spanOfDays(bounds, page)}
        {bounds &&
          bounds.from < bounds.earliest &&
          ` · ${t('page_charts.earliest', { day: dayText(bounds.earliest, page) })}`}
      </Text>
    </Stack>
  )
}
