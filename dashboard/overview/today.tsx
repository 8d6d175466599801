import { Anchor, Group, Paper, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId } from 'react'
import type { RouterOutputs } from '../api.ts'
import { ChangeMark } from '../charts/change-mark.tsx'
import { changeOf } from '../charts/change.ts'
import { Legend } from '../charts/legend.tsx'
import { type Outcome, codeOutcomes, orderOutcomes } from '../charts/outcomes.ts'
import { dayText, shareText } from '../charts/span.ts'
import { useTexts } from '../texts/use-texts.ts'
import { chartColour } from '../ui/state/chart-colours.ts'
import { numberFormat } from '../ui/formats.ts'
import { useWorkspace } from '../ui/workspace.ts'
import classes from './today.module.css'

type Figures = RouterOutputs['charts']['overview']

/** Codes and orders of today, or of the latest day that has any. */
export function Today({ of: { latest, yesterday, week } }: { of: Figures }) {
  const { t, language } = useTexts()
  const { workspaceId } = useWorkspace()
  const { funnel, orders, day } = latest
  // Without direction marks, which the text would show: it isolates its values itself.
  const share = (part: number, whole: number): string => shareText(part, whole, language).replaceAll('\u200e', '')
  const isToday = day === week.today
  const ofDay = { from: day, to: day }
  return (
    <Stack component="section" gap="sm" aria-labelledby="today">
      <div>
        <Title order={2} id="today">
          <DayName day={day} week={week} />
        </Title>
        {(!isToday || funnel.accepted + orders.requested === 0) && <NothingToday />}
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Card
          title={t('page_charts.otp')}
          count={funnel.accepted}
          rate={t('page_overview.delivered', { share: share(funnel.delivered, funnel.accepted) })}
          before={isToday ? yesterday?.funnel.accepted : undefined}
          outcomes={codeOutcomes(t, funnel)}
          linkOf={(status) => (props) => (
            <Link
              {...props}
              to="/w/$workspaceId/messages"
              params={{ workspaceId }}
              search={{ kind: 'otp', ...(status && { status }), ...ofDay }}
            />
          )}
        />
        <Card
          title={t('page_charts.cod')}
          count={orders.requested}
          rate={t('page_overview.confirmed', { share: share(orders.confirmed, orders.requested) })}
          before={isToday ? yesterday?.orders.requested : undefined}
          outcomes={orderOutcomes(t, orders)}
          linkOf={(status) => (props) => (
            <Link
              {...props}
              to="/w/$workspaceId/confirmations"
              params={{ workspaceId }}
              search={{ ...(status && { status }), ...ofDay }}
            />
          )}
        />
      </SimpleGrid>
    </Stack>
  )
}

function DayName({ day, week: { today, messages } }: { day: string; week: Figures['week'] }) {
  const { t, language } = useTexts()
  if (day === today) return t('page_overview.today')
  const text = dayText(day, language)
  return day === messages.at(-2)?.day ? t('page_overview.yesterday', { day: text }) : text
}

/** After a move of the clock, the day is new and empty: the figures are not lost. */
function NothingToday() {
  const { t } = useTexts()
  const { workspaceId, sandbox, clockOffsetMs } = useWorkspace()
  return (
    <Text size="sm" c="dimmed" role="status">
      {sandbox && clockOffsetMs > 0 ? t('page_overview.moved') : t('page_overview.nothing_today')}
      {sandbox && (
        <>
          {' '}
          <Anchor
            inherit
            renderRoot={(props) => <Link {...props} to="/w/$workspaceId/phone" params={{ workspaceId }} />}
          >
            {t('page_overview.to_phone')}
          </Anchor>
        </>
      )}
    </Text>
  )
}

type Rendered = (props: object) => ReactNode

type CardProps<Status extends string> = {
  title: string
  count: number
  rate: string
  /** The count at the same time yesterday. */
  before: number | undefined
  outcomes: readonly Outcome<Status>[]
  /** A link to the day's list, with one status or all. */
  linkOf: (status?: Status) => Rendered
}

function Card<Status extends string>({ title, count, rate, before, outcomes, linkOf }: CardProps<Status>) {
  const { t, language } = useTexts()
  const id = useId()
  const n = numberFormat(language)
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
            <span className={classes['count']}>{n.format(count)}</span>
            {count > 0 && <Text fw={600}>{rate}</Text>}
          </Group>
          {before !== undefined && <SinceYesterday count={count} before={before} />}
        </div>
        {shown.length > 0 && (
          <>
            <Progress.Root size="lg" aria-hidden="true">
              {shown.map(({ label, count: part, colour }) => (
                <Progress.Section key={label} value={(part / count) * 100} color={chartColour(colour)} />
              ))}
            </Progress.Root>
            <Legend
              items={shown.map(({ label, count: part, colour, status }) => ({
                label,
                colour,
                content: (
                  <>
                    {status === undefined ? (
                      label
                    ) : (
                      <Anchor inherit renderRoot={linkOf(status)}>
                        {label}
                      </Anchor>
                    )}{' '}
                    <strong>{n.format(part)}</strong>
                  </>
                ),
              }))}
            />
          </>
        )}
      </Stack>
    </Paper>
  )
}

function SinceYesterday({ count, before }: { count: number; before: number }) {
  const { t, language } = useTexts()
  const change = changeOf(count, before)
  return (
    <Text size="sm" c="dimmed">
      {change && (
        <>
          <ChangeMark change={change} c="var(--mantine-color-text)" /> ·{' '}
        </>
      )}
      {t('page_overview.by_now', { number: numberFormat(language).format(before) })}
    </Text>
  )
}
