import { useSuspenseQuery } from '@tanstack/react-query'
import { Suspense } from 'react'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Loading } from '../ui/fallback.tsx'
import { Page } from '../ui/shell/page.tsx'
import { slowPolling } from '../ui/shell/refetch.ts'
import { useWorkspace } from '../ui/workspace.ts'
import { AttentionList } from './attention.tsx'
import { Figures, FirstSteps } from './content.ts'

export function Overview() {
  const { t } = useTexts()
  const { workspaceId } = useWorkspace()
  const { data: steps } = useSuspenseQuery({
    ...pageQueries.firstSteps({ workspaceId }),
    ...slowPolling,
  })
  const { data: attention } = useSuspenseQuery({
    ...pageQueries.attention({ workspaceId }),
    ...slowPolling,
  })
  return (
    <Page title={t('page_overview.title')} about={t('page_overview.about')} live hasDays>
      <AttentionList all={attention} isSetUp={steps.message} />
      <Suspense fallback={<Loading as="overview" />}>
        {steps.message ? <Figures /> : <FirstSteps steps={steps} />}
      </Suspense>
    </Page>
  )
}
