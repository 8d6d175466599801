import { Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import type { RouterOutputs } from '../api.ts'
import { Funnel, MessagesByDay } from '../charts/codes.tsx'
import { AnswersByDay } from '../charts/confirmations.tsx'
import { ChangeMark, FigureRow, Split } from '../charts/figure.tsx'
import { changeOf, dayText, shareText } from '../charts/numbers.ts'
import { type Outcome, codeOutcomes, confirmationOutcomes } from '../charts/outcomes.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Failed, Loading } from '../ui/fallback.tsx'
import { AnchorLink, type LinkOf, linkTo } from '../ui/link.tsx'
import { slowPolling } from '../ui/shell/refetch.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { Separated } from '../ui/separated.tsx'
import classes from './overview.module.css'

/** Today and the last days, in a workspace that has sent a message. */
export function Figures() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data, error, refetch } = useQuery({ ...pageQueries.figures({ workspaceId }), ...slowPolling })
  if (error) return <Failed error={error} onAgain={() => void refetch()} />
  if (!data) return <Loading as="overview" />
  const { week } = data
  const sent = week.messages.reduce((sum, { otp, cod }) => sum + otp + cod, 0)
  return (
    <>
      <Today of={data} />
      <Insight of={data.saved} />
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>{t('page_overview.last_days')}</Title>
          <AnchorLink to="/w/$workspaceId/charts">{t('page_overview.all_charts')}</AnchorLink>
        </Group>
        {sent === 0 ? (
          <Text c="dimmed">{t('page_charts.nothing')}</Text>
        ) : (
          <FigureRow>
            <MessagesByDay of={week} />
            {week.confirmations.requested > 0 ? <AnswersByDay of={week} /> : <Funnel of={week} />}
          </FigureRow>
        )}
      </Stack>
    </>
  )
}

type OverviewFigures = RouterOutputs['charts']['overview']

/** What the last month shows, in a workspace whose figures show it. */
function Insight({ of: { orders, days } }: { of: OverviewFigures['saved'] }) {
  const { t } = useTexts()
  if (orders === null) return null
  return (
    <Paper withBorder p="md">
      <Text fw={600}>{t('page_overview.saved', { count: orders, days })}</Text>
    </Paper>
  )
}

/** Codes and confirmations of today, or of the latest day that has any. */
export function Today({ of: { latest, yesterday, week } }: { of: OverviewFigures }) {
  const { t, language } = useTexts()
  const { funnel, confirmations, day } = latest
  // Without direction marks, which would be visible: the text isolates its values itself.
  const share = (part: number, whole: number): string => shareText(part, whole, language).replaceAll('\u200e', '')
  const isToday = day === week.today
  const ofDay = { from: day, to: day }
  return (
    <Stack component="section" gap="sm" aria-labelledby="today">
      <div>
        <Title order={2} id="today">
          <DayName day={day} week={week} />
        </Title>
        {(!isToday || funnel.accepted + confirmations.requested === 0) && <NothingToday />}
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card
          title={t('page_charts.otp')}
          count={funnel.accepted}
          rate={
            funnel.delivered + funnel.failed > 0 &&
            t('page_overview.delivered', { share: share(funnel.delivered, funnel.accepted) })
          }
          before={isToday ? yesterday?.funnel.accepted : undefined}
          outcomes={codeOutcomes(t, funnel)}
          linkOf={(status) =>
            linkTo({ to: '/w/$workspaceId/messages', search: { kind: 'otp', ...(status && { status }), ...ofDay } })
          }
        />
        <Card
          title={t('page_shell.confirmations')}
          count={confirmations.requested}
          rate={
            confirmations.requested > confirmations.open &&
            t('page_overview.confirmed', { share: share(confirmations.confirmed, confirmations.requested) })
          }
          before={isToday ? yesterday?.confirmations.requested : undefined}
          outcomes={confirmationOutcomes(t, confirmations)}
          linkOf={(status) =>
            linkTo({ to: '/w/$workspaceId/confirmations', search: { ...(status && { status }), ...ofDay } })
          }
        />
      </SimpleGrid>
    </Stack>
  )
}

function DayName({ day, week: { today, messages } }: { day: string; week: OverviewFigures['week'] }) {
  const { t, language } = useTexts()
  if (day === today) return t('page_overview.today')
  const text = dayText(day, language)
  return day === messages.at(-2)?.day ? t('page_overview.yesterday', { day: text }) : text
}

/** After the clock has moved, the day is new and empty; this shows that the figures are not lost. */
function NothingToday() {
  const { t } = useTexts()
  const { sandbox, clockOffsetMs } = useWorkspace()
  return (
    <Text size="sm" c="dimmed" role="status">
      {sandbox && clockOffsetMs > 0 ? t('page_overview.moved') : t('page_overview.nothing_today')}
      {sandbox && (
        <>
          {' '}
          <AnchorLink inherit to="/w/$workspaceId/phone">
            {t('page_overview.to_phone')}
          </AnchorLink>
        </>
      )}
    </Text>
  )
}

type CardProps<Status extends string> = {
  title: string
  count: number
  /** Of a day that has no outcome yet, a rate would say 0%. */
  rate: string | false
  /** The count at the same time yesterday. */
  before: number | undefined
  outcomes: readonly Outcome<Status>[]
  /** A link to the day's list, with one status or all. */
  linkOf: (status?: Status) => LinkOf
}

function Card<Status extends string>({ title, count, rate, before, outcomes, linkOf }: CardProps<Status>) {
  const { t, n } = useTexts()
  const id = useId()
  const shown = outcomes.filter((each) => each.count > 0)
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id} miw={0}>
      <Stack gap="sm">
        <Group justify="space-between" align="baseline">
          <Title order={3} size="h5" id={id}>
            {title}
          </Title>
          <Anchor size="sm" renderRoot={linkOf()}>
            {t('page_overview.list')}
          </Anchor>
        </Group>
        <div>
          <Group gap="sm" align="baseline">
            <span className={classes['count']}>{n(count)}</span>
            {rate && <Text fw={600}>{rate}</Text>}
          </Group>
          {before !== undefined && <SinceYesterday count={count} before={before} />}
        </div>
        {shown.length > 0 && (
          <Split
            whole={count}
            items={shown.map(({ status, ...each }) => ({ ...each, link: status && linkOf(status) }))}
          />
        )}
      </Stack>
    </Paper>
  )
}

function SinceYesterday({ count, before }: { count: number; before: number }) {
  const { t, n } = useTexts()
  const change = changeOf(count, before)
  return (
    <Separated
      c="dimmed"
      of={[
        change && <ChangeMark change={change} c="var(--mantine-color-text)" />,
        t('page_overview.by_now', { number: n(before) }),
      ]}
    />
  )
}
