import { Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type RouterOutputs, api } from '../api.ts'
import { AnswersByDay, Funnel, MessagesByDay } from '../charts/figures.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { slowPolling, useLive } from '../ui/shell/live.ts'
import { Loading } from '../ui/loading.tsx'
import { numberFormat } from '../ui/number.ts'
import { Page } from '../ui/shell/page.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { AttentionList } from './attention.tsx'
import { FirstSteps } from './first-steps.tsx'

export function Overview() {
  const { t } = useTexts()
  const { workspaceId, timeZone } = useWorkspace()
  const live = useLive()
  const { data: steps } = useSuspenseQuery({
    ...api.workspaces.firstSteps.queryOptions({ workspaceId }),
    ...slowPolling,
  })
  const { data: attention } = useSuspenseQuery({
    ...api.workspaces.attention.queryOptions({ workspaceId }),
    ...slowPolling,
  })
  return (
    <Page
      title={t('page_overview.title')}
      about={`${t('page_overview.about')}${t('page_shell.colon')}\u2066${timeZone}\u2069.`}
      live={live}
    >
      <AttentionList all={attention} isSetUp={steps.message} />
      {steps.message ? <Figures /> : <FirstSteps steps={steps} />}
    </Page>
  )
}

function Figures() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data, error, refetch } = useQuery({ ...api.charts.overview.queryOptions({ workspaceId }), ...slowPolling })
  if (error) return <Failed error={error} onAgain={() => void refetch()} />
  if (!data) return <Loading />
  const { today, week } = data
  return (
    <>
      <Today of={today} />
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>{t('page_overview.last_days')}</Text>
          <Anchor renderRoot={(props) => <Link {...props} to="/w/$workspaceId/charts" params={{ workspaceId }} />}>
            {t('page_overview.all_charts')}
          </Anchor>
        </Group>
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <MessagesByDay of={week} />
          {week.orders.asked > 0 ? <AnswersByDay of={week} /> : <Funnel of={week} />}
        </SimpleGrid>
      </Stack>
    </>
  )
}

function Today({ of: { funnel, orders } }: { of: RouterOutputs['charts']['overview']['today'] }) {
  const { t, language } = useTexts()
  const n = numberFormat(language)
  const tiles = [
    { title: t('page_overview.codes'), count: funnel.accepted },
    { title: t('page_overview.delivered'), count: funnel.delivered },
    { title: t('page_overview.failed'), count: funnel.failed },
    { title: t('page_overview.orders'), count: orders.asked },
    { title: t('page_overview.confirmed'), count: orders.confirmed },
    { title: t('page_overview.waiting'), count: orders.open },
  ]
  return (
    <Stack component="section" gap="sm" aria-labelledby="today">
      <Title order={2} size="h4" id="today">
        {t('page_overview.today')}
      </Title>
      <SimpleGrid component="dl" cols={{ base: 2, xs: 3, lg: 6 }} m={0} spacing="sm">
        {tiles.map(({ title, count }) => (
          <Paper withBorder p="md" key={title} style={{ display: 'grid', alignContent: 'space-between' }}>
            <Text component="dt" size="sm" c="dimmed">
              {title}
            </Text>
            <Text component="dd" m={0} fz="h2" fw={700}>
              {n.format(count)}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
    </Stack>
  )
}
