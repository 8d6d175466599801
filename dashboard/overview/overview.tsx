import { Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type Answers, api } from '../api.ts'
import { AnswersByDay, Funnel, MessagesByDay } from '../charts/figures.tsx'
import { Failed } from '../ui/failed.tsx'
import { slowly, useLive } from '../ui/live.ts'
import { Loading } from '../ui/loading.tsx'
import { numberFormat } from '../ui/number.ts'
import { Page } from '../ui/page.tsx'
import { useWorkspace } from '../ui/workspace.ts'
import { useLanguage, useWords } from '../words.ts'
import { AttentionList } from './attention.tsx'
import { FirstSteps } from './first-steps.tsx'
import { overviewWords } from './words.ts'

export function Overview() {
  const text = useWords(overviewWords)
  const { workspaceId, timeZone } = useWorkspace()
  const live = useLive()
  const { data: steps } = useSuspenseQuery({ ...api.workspaces.firstSteps.queryOptions({ workspaceId }), ...slowly })
  const { data: attention } = useSuspenseQuery({ ...api.workspaces.attention.queryOptions({ workspaceId }), ...slowly })
  return (
    <Page title={text.title} about={`${text.about}: \u2066${timeZone}\u2069.`} live={live}>
      <AttentionList all={attention} isSetUp={steps.message} />
      {steps.message ? <Figures /> : <FirstSteps steps={steps} />}
    </Page>
  )
}

function Figures() {
  const text = useWords(overviewWords)
  const { workspaceId } = useWorkspace()
  const { data, error, refetch } = useQuery({ ...api.charts.overview.queryOptions({ workspaceId }), ...slowly })
  if (error) return <Failed error={error} onAgain={() => void refetch()} />
  if (!data) return <Loading />
  const { today, week } = data
  return (
    <>
      <Today of={today} />
      <Stack gap="sm">
        <Group justify="space-between">
          <Text fw={600}>{text.lastDays}</Text>
          <Anchor renderRoot={(props) => <Link {...props} to="/w/$workspaceId/charts" params={{ workspaceId }} />}>
            {text.allCharts}
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

function Today({ of: { funnel, orders } }: { of: Answers['charts']['overview']['today'] }) {
  const text = useWords(overviewWords)
  const { language } = useLanguage()
  const n = numberFormat(language)
  const tiles = [
    { title: text.codes, count: funnel.accepted },
    { title: text.delivered, count: funnel.delivered },
    { title: text.failed, count: funnel.failed },
    { title: text.orders, count: orders.asked },
    { title: text.confirmed, count: orders.confirmed },
    { title: text.waiting, count: orders.open },
  ]
  return (
    <Stack component="section" gap="sm" aria-labelledby="today">
      <Title order={2} size="h4" id="today">
        {text.today}
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
