import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pageQueries } from '../queries.ts'
import { useTexts } from '../texts/use-texts.ts'
import { Empty, Failed, Loading } from '../ui/fallback.tsx'
import { ButtonLink } from '../ui/link.tsx'
import { Page } from '../ui/shell/page.tsx'
import { usePermissions, useWorkspace } from '../ui/workspace.ts'
import { Guide } from './guide.tsx'
import { SetUp } from './set-up.tsx'

/** From the first request to the verified webhook on one page, for a newcomer. */
export function Quickstart() {
  const { t } = useTexts()
  const { sandbox } = useWorkspace()
  const may = usePermissions()
  const canUse = sandbox && may.change
  return (
    <Page title={t('page_quickstart.title')} about={t('page_quickstart.about')} live>
      {canUse ? (
        <Prepared />
      ) : (
        <Empty action={!sandbox && <ButtonLink to="/new-workspace">{t('page_phone.make_sandbox')}</ButtonLink>}>
          {t(sandbox ? 'page_quickstart.only_admins' : 'page_quickstart.only_sandboxes')}
        </Empty>
      )}
    </Page>
  )
}

function Prepared() {
  const { workspaceId } = useWorkspace()
  /** Only in the memory of this page: a key is shown once. */
  const [apiKey, setApiKey] = useState<string>()
  const state = useQuery(pageQueries.phoneState({ workspaceId }))
  const settings = useQuery(pageQueries.codSettings({ workspaceId }))
  const endpoints = useQuery(pageQueries.endpoints({ workspaceId }))
  const failed = [state, settings, endpoints].find(({ error, data }) => error && !data)
  if (failed) return <Failed error={failed.error} onAgain={() => void failed.refetch()} />
  if (!state.data || !settings.data || !endpoints.data) return <Loading as="phone" />
  const { stored } = settings.data
  const [number] = state.data.numbers
  const lacks = {
    emulator: number === undefined,
    settings: stored === null,
    endpoint: !endpoints.data.endpoints.some(({ status }) => status === 'enabled'),
  }
  if (number === undefined || stored === null || lacks.endpoint)
    return <SetUp lacks={lacks} receiverUrl={state.data.testReceiverUrl} onKey={setApiKey} />
  return (
    <Guide
      state={state.data}
      number={number}
      languages={Object.keys(stored.settings.languages)}
      apiKey={apiKey}
      onKey={setApiKey}
    />
  )
}
