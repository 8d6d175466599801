import { Anchor, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api } from '../api.ts'
import { Funnel, MessagesByDay } from '../charts/codes.tsx'
import { FigureRow } from '../charts/figure.tsx'
import { AnswersByDay } from '../charts/orders.tsx'
import { useTexts } from '../texts/use-texts.ts'
import { Failed } from '../ui/failed.tsx'
import { Loading } from '../ui/loading.tsx'
import { slowPolling } from '../ui/shell/refetch.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { Today } from './today.tsx'

/** Today and the last days, in a workspace that has sent a message. */
export function Figures() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data, error, refetch } = useQuery({ ...api.charts.overview.queryOptions({ workspaceId }), ...slowPolling })
  if (error) return <Failed error={error} onAgain={() => void refetch()} />
  if (!data) return <Loading as="overview" />
  const { week } = data
  const sent = week.messages.reduce((sum, { otp, cod }) => sum + otp + cod, 0)
  return (
    <>
      <Today of={data} />
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2}>{t('page_overview.last_days')}</Title>
          <Anchor renderRoot={(props) => <Link {...props} to="/w/$workspaceId/charts" params={{ workspaceId }} />}>
            {t('page_overview.all_charts')}
          </Anchor>
        </Group>
        {sent === 0 ? (
          <Text c="dimmed">{t('page_charts.nothing')}</Text>
        ) : (
          <FigureRow>
            <MessagesByDay of={week} />
            {week.orders.requested > 0 ? <AnswersByDay of={week} /> : <Funnel of={week} />}
          </FigureRow>
        )}
      </Stack>
    </>
  )
}
