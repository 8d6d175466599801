import { Alert, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { codeOf } from '../api.ts'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { withoutScheme } from '../ui/as-typed.tsx'
import { Failed, LoadingPage } from '../ui/fallback.tsx'
import { AnchorLink } from '../ui/link.tsx'
import { useLive } from '../ui/shell/live.ts'
import { NotFound } from '../ui/shell/not-found.tsx'
import { Page } from '../ui/shell/page.tsx'
import { StateMark } from '../ui/state/status.tsx'
import { Time, useWorkspaceClock } from '../ui/time.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Actions } from './actions.tsx'
import { EndpointCondition } from './condition.tsx'
import { type EndpointData, EndpointHealth, StateBadge } from './endpoint-health.tsx'
import { stateOf } from './endpoint-state.ts'
import { Log } from './log.tsx'

export function Endpoint() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { endpointId } = useParams({ from: '/w/$workspaceId/endpoints/$endpointId' })
  useLive() // also while the page fails to load
  const may = usePermissions()
  const { data, error, refetch } = useQuery(pageQueries.endpoint({ workspaceId, endpointId }))
  if (codeOf(error) === 'NOT_FOUND' || codeOf(error) === 'BAD_REQUEST') return <NotFound />
  if (!data)
    return error ? (
      <Page title={t('page_endpoints.title')}>
        <Failed error={error} onAgain={() => void refetch()} />
      </Page>
    ) : (
      <LoadingPage />
    )
  const isDeleted = data.deletedAt !== null
  const title = data.description || withoutScheme(data.url)
  return (
    <Page
      title={`\u2068${title}\u2069`}
      status={
        isDeleted ? (
          <StateMark colour="neutral">{t('page_endpoints.deleted')}</StateMark>
        ) : (
          <StateBadge state={stateOf(data)} />
        )
      }
      back={
        <AnchorLink size="sm" to="/w/$workspaceId/endpoints">
          {t('page_endpoints.all')}
        </AnchorLink>
      }
      live
      actions={may.change && !isDeleted && <Actions endpoint={data} name={title} />}
    >
      {data.deletedAt && (
        <Alert color="neutral" title={t('page_endpoints.deleted_title')}>
          <Text size="sm">
            {t('page_endpoints.deleted_about')} <Time at={data.deletedAt} kind="past" />
          </Text>
        </Alert>
      )}
      <Overlap endpoint={data} />
      {!isDeleted && <EndpointCondition endpoint={data} />}
      <EndpointHealth endpoint={data} />
      <Log endpoint={data} />
    </Page>
  )
}

/** Shown during the overlap: it is the deadline for changing the receiver. */
function Overlap({ endpoint: { previousSecretUntil } }: { endpoint: EndpointData }) {
  const { t } = useTexts()
  const clock = useWorkspaceClock()
  if (!previousSecretUntil || clock.read(new Date(previousSecretUntil), 'due').shown <= clock.now()) return null
  return (
    <Text size="sm">
      {t('page_endpoints.overlap')} <Time at={previousSecretUntil} kind="due" />
    </Text>
  )
}
